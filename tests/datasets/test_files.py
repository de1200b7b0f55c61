"""A folder of files and a CSV of questions, from the folder to the dataset."""

from __future__ import annotations

import pytest

from pipeline.datasets.files import Files
from pipeline.datasets.questions import question_id
from pipeline.errors import DataError, SettingError

RESET = "# Reset\n\nHold the power button\nfor ten seconds — then wait.\n"
PAGE = (
    "<html><head><title>Billing &amp; refunds</title><style>p {}</style></head><body><script>if (a<b) {}</script>"
    "<p>You get your money   back\n within 14 days.</p></body></html>"
)
CSV = (
    "question,relevant,grade,team\n"
    "How do I reset it?,guide/reset.md,2,support\n"
    'How do I reset it?,"power button for ten seconds - then",3,\n'
    "When do I get my money back?,“money back within 14 days”,,billing\n"
    "What is the colour?,,,\n"
)


@pytest.fixture
def folder(tmp_path):
    files = {
        "guide/reset.md": RESET,
        "billing.HTML": PAGE,
        "faq.txt": "Money back within 30 days.\n",
        ".git/config.md": "hidden",
        ".draft.md": "hidden",
        "photo.png": "not text",
        "questions.csv": CSV,
    }
    for name, text in files.items():
        (tmp_path / "kb" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "kb" / name).write_text(text, encoding="utf-8")
    return tmp_path / "kb"


def load(folder, csv=None, **more):
    if csv is not None:
        (folder / "questions.csv").write_text(csv, encoding="utf-8")
    return Files(str(folder), "questions.csv", **more).load()


def judged(data):
    """{(query text, document id): grade}."""
    owners = [q for q, count in enumerate(data.qrels.indptr[1:] - data.qrels.indptr[:-1]) for _ in range(count)]
    return {
        (data.queries.texts[q], data.corpus.ids[d]): int(grade)
        for q, d, grade in zip(owners, data.qrels.docs, data.qrels.grades, strict=True)
    }


def evidence(data):
    """[(query text, document id, text of the span, group)]."""
    spans = data.spans
    return [
        (data.queries.texts[q], data.corpus.ids[d], data.corpus.texts[d][start:end], int(group))
        for q, d, start, end, group in zip(spans.query, spans.doc, spans.start, spans.end, spans.group, strict=True)
    ]


def test_ids_are_paths_and_titles_stand_in_the_text_once(folder):
    corpus = load(folder, "question\nx?\n").corpus
    assert corpus.ids == ("billing.HTML", "faq.txt", "guide/reset.md")
    assert corpus.titles == ("Billing & refunds", "", "Reset")
    assert corpus.texts == (
        "Billing & refunds\nYou get your money back within 14 days.",
        "Money back within 30 days.\n".rstrip("\n"),
        RESET.rstrip("\n"),
    )


def test_relevant_is_a_path_or_a_passage_kept_as_evidence(folder):
    data = load(folder, CSV.replace("“", "").replace("”", "").replace("reset.md,2", "reset.md,3"))
    reset, money = "How do I reset it?", "When do I get my money back?"
    assert judged(data) == {(reset, "guide/reset.md"): 3, (money, "billing.HTML"): 1}
    assert sorted(evidence(data)) == [
        (reset, "guide/reset.md", "power button\nfor ten seconds — then", 0),
        (money, "billing.HTML", "money back within 14 days", 0),
    ]
    assert data.queries.slices["team"] == tuple(
        {reset: "support", money: "billing"}.get(text, "") for text in data.queries.texts
    )
    assert data.counts["unjudged_queries"] == 1


def test_all_places_of_a_passage_are_alternatives(folder):
    (folder / "faq.txt").write_text("Press it. Then Press it again. Press items.")
    (folder / "other.txt").write_text("Press  it")
    data = load(folder, "question,relevant\nq?,Press it\nq?,Then Press\n")
    assert judged(data) == {("q?", "faq.txt"): 1, ("q?", "other.txt"): 1}
    assert evidence(data) == [
        ("q?", "faq.txt", "Press it", 0),
        ("q?", "faq.txt", "Then Press", 1),
        ("q?", "faq.txt", "Press it", 0),
        ("q?", "other.txt", "Press  it", 0),
    ]


@pytest.mark.parametrize("grades", [(1, 3), (3, 1), (0, 3), (3, 0)])
def test_a_document_has_the_highest_grade_of_its_passages(folder, grades):
    rows = zip(("Hold the power", "ten seconds"), grades, strict=True)
    data = load(folder, "question,relevant,grade\n" + "".join(f"q?,{passage},{grade}\n" for passage, grade in rows))
    assert judged(data) == {("q?", "guide/reset.md"): 3}
    assert data.counts["spans"] == sum(grade > 0 for grade in grades)  # a passage of grade 0 is no evidence


@pytest.mark.parametrize(
    "written",
    [
        "guide/reset.md",
        "./guide/reset.md",
        "guide\\reset.md",
        "kb/guide/reset.md",
        "reset.md",
        "{folder}/guide/reset.md",
    ],
)
def test_a_path_may_be_written_in_the_ways_people_write_it(folder, written):
    data = load(folder, f"question,relevant\nq?,{written.format(folder=folder)}\n")
    assert judged(data) == {("q?", "guide/reset.md"): 1}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_delimiter_line_ends_and_byte_order_mark_change_nothing(folder, delimiter, end, mark):
    csv = "question,relevant\nq?,faq.txt\n"
    usual = load(folder, csv).digests
    (folder / "questions.csv").write_bytes((mark + csv.replace(",", delimiter).replace("\n", end)).encode())
    assert Files(str(folder), "questions.csv").load().digests == usual


def test_the_order_of_rows_changes_nothing(folder):
    csv = "question,relevant,team\na?,faq.txt,x\nb?,billing.HTML,\na?,money back,\nc?,,\n"
    head, *rows = csv.splitlines()
    (folder / "faq.txt").write_text("your money back")
    assert load(folder, csv).digests == load(folder, "\n".join([head, *rows[::-1]])).digests


def test_a_dataset_without_judgements_is_allowed_and_says_what_comes_next(folder):
    data = load(folder, "question\nWhy?\n")
    assert data.counts["judgements"] == 0
    assert any("judge.csv" in note for note in data.notes)


def test_a_filled_in_judge_sheet_adds_its_grades(folder):
    csv = "question,relevant\nq?,faq.txt\n"
    name = question_id("q?")
    (folder.parent / "judge.csv").write_text(
        "query_id,question,doc_id,title,excerpt,found_by,grade\n"
        f"{name},q?,billing.HTML,,,bm25-512,0\n{name},q?,guide/reset.md,,,bm25-512,\n"
    )
    data = load(folder, csv, qrels=str(folder.parent / "judge.csv"))
    assert judged(data) == {("q?", "faq.txt"): 1, ("q?", "billing.HTML"): 0}
    assert any("1 of 2 rows without grade yet" in note for note in data.notes)


def test_front_matter_gives_title_date_and_metadata_and_leaves_the_text(folder):
    (folder / "post.md").write_text('---\ntitle: "A post"\ndate: 2024-05-06\nteam: x\n---\n\nBody.\n')
    corpus = load(folder, "question\nx?\n").corpus
    at = corpus.ids.index("post.md")
    assert corpus.texts[at] == "A post\nBody."
    assert str(corpus.dates[at]) == "2024-05-06T00:00:00"
    assert corpus.metadata[at]["team"] == "x"


def test_a_title_that_the_first_heading_shows_is_not_joined_again(folder):
    (folder / "post.md").write_text("---\ntitle: A post\n---\n# A post #\n\nBody.\n")
    corpus = load(folder, "question\nx?\n").corpus
    assert corpus.texts[corpus.ids.index("post.md")] == "# A post #\n\nBody."


HEAD = "question,relevant,grade\n"
REFUSED = {
    'questions.csv:3: passage not found in any document: "Hold the power button for five minutes"; '
    "nearest: guide/reset.md has its first 5 words": HEAD + "a?,faq.txt,\nb?,Hold the power button for five minutes,\n",
    'questions.csv:2: passage not found in any document: "zebra crossing"; not even': HEAD + "a?,zebra crossing,\n",
    "questions.csv:2: no document 'guide/rest.md'; did you mean 'guide/reset.md'?": HEAD + "a?,guide/rest.md,\n",
    "questions.csv:2: no document 'faq.md'": HEAD + "a?,faq.md,\n",
    "questions.csv:2: grade 'high' is not an integer": HEAD + "a?,faq.txt,high\n",
    "questions.csv:2: grade '1.5' is not an integer": HEAD + "a?,faq.txt,1.5\n",
    "questions.csv:2: grade '1' without 'relevant'": HEAD + "a?,,1\n",
    "questions.csv:3: empty question": HEAD + "a?,faq.txt,1\n,faq.txt,1\n",
    "questions.csv:3: query 'a-": HEAD + "a?,faq.txt,1\na?,faq.txt,2\n",
    "questions.csv:2: 5 cells under 3 columns; put cells that hold a comma in quotes": HEAD
    + "Yes, but why?,faq.txt,1,2\n",
    "questions.csv:2: unexpected end of data; close every quote": HEAD + 'a?,"faq.txt,1\n',
    "questions.csv:1: no column 'question' in the header; found 'query', 'relevant'": "query,relevant\na?,faq.txt\n",
    "questions.csv:1: no column 'question' in the header; found nothing": "",
    "questions.csv:1: column 'grade' stands twice": "question,grade,grade\na?,1,1\n",
    "questions.csv: no queries": "question\n",
    "questions.csv:3: id '7' has another question in": "id,question\n7,a?\n7,b?\n",
    "questions.csv:3: team of question 'a?' is 'y' here and 'x' in": "question,team\na?,x\na?,y\n",
    "questions.csv:2: weight 'much' is not a number": "question,weight\na?,much\n",
    "questions.csv:2: weight 0.0 of query": "question,weight\na?,0\n",
    "questions.csv:2: answerable 'perhaps'; expected true or false": "question,answerable\na?,perhaps\n",
    "questions.csv:2: as_of 'soon' of query": "question,as_of\na?,soon\n",
    "questions.csv:5: no document 'no.md'": 'question,relevant\n"a\nb?",faq.txt\n\nc?,no.md\n',
}


@pytest.mark.parametrize("message", REFUSED)
def test_a_csv_that_cannot_be_used_is_refused_in_one_line(folder, message):
    with pytest.raises(DataError) as refused:
        load(folder, REFUSED[message])
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_name_in_two_folders_is_ambiguous(folder):
    (folder / "reset.md").write_text("x")
    assert judged(load(folder, "question,relevant\nq?,reset.md\n")) == {("q?", "reset.md"): 1}  # an exact path
    (folder / "more").mkdir()
    (folder / "more" / "faq.txt").write_text("x")
    with pytest.raises(DataError, match=r":2: 'x/faq.txt'|no document"):
        load(folder, "question,relevant\nq?,x/faq.txt\n")
    (folder / "faq.txt").rename(folder / "guide" / "faq.txt")
    with pytest.raises(
        DataError, match=r":2: 'faq.txt' names 2 documents: guide/faq.txt, more/faq.txt; write the path"
    ):
        load(folder, "question,relevant\nq?,faq.txt\n")


def test_a_passage_in_too_many_places_is_refused(folder):
    (folder / "faq.txt").write_text("again and " * 21)
    with pytest.raises(DataError, match="found in 21 places; quote more of it"):
        load(folder, "question,relevant\nq?,again and\n")


def test_documents_that_are_no_text_are_named(folder):
    (folder / "guide" / "old.txt").write_bytes(b"fine\ncaf\xe9\n")
    with pytest.raises(DataError, match=r"old\.txt:2: byte 0xe9 in column 4 is not UTF-8"):
        load(folder)


def test_a_folder_without_documents_says_what_it_holds(folder):
    with pytest.raises(DataError, match=r"no documents: no file fits \*\.adoc; found 1 "):
        load(folder, pattern="*.adoc")


def test_settings_are_checked_at_once():
    for settings in ({"path": ""}, {"queries": " "}, {"pattern": " "}, {"judgements": "all"}):
        with pytest.raises(SettingError):
            Files(**{"path": "x", "queries": "y", **settings})


def test_places_that_do_not_exist_are_named_with_what_does(folder):
    with pytest.raises(DataError, match=r"no such folder; looked for .* did you mean .*/kb\?"):
        Files(str(folder.parent / "kbb"), "questions.csv").load()
    with pytest.raises(DataError, match=r"question.csv: no such file, nor in .*"):
        Files(str(folder), "question.csv").load()
    with pytest.raises(DataError, match=r"is a file, expected a folder"):
        Files(str(folder / "faq.txt"), "questions.csv").load()
