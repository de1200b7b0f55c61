"""Which retrieval measure predicts the answers, where experiments have answers of their own."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np

from pipeline import stats
from pipeline.records import ScoreTable
from pipeline.sweep.answer_links import answer_links

OPTIONS = stats.StatsOptions(resamples=199, half_splits=0)
NAMES = ("nDCG@10", "P@5", "cited_relevance", "citation_validity")


def tables(link: float, *, same: bool = False) -> dict[str, ScoreTable]:
    """nDCG@10 moves cited_relevance by `link`; P@5 and citation_validity follow nothing."""
    rng = np.random.default_rng(2)
    ids = tuple(f"q{n:03d}" for n in range(120))
    made = {}
    answer = rng.random(120)
    for name in ("base", "one", "two"):
        ndcg, precision, noise, validity = rng.random((4, 120))
        own = answer if same else link * ndcg + (1 - link) * noise
        made[name] = ScoreTable(NAMES, ids, np.array([ndcg, precision, own, answer if same else validity]))
    return made


def said(given: dict[str, ScoreTable], folder: Path | None = None) -> tuple[str, ...]:
    found = stats.standing(given, baseline="base", primary="nDCG@10", seed=0, options=OPTIONS)
    return answer_links(given, found, 0, OPTIONS, folder)


def test_the_measure_that_moves_the_answers_is_named_and_all_are_written(tmp_path: Path) -> None:
    (sentence,) = said(tables(0.7), tmp_path)
    assert sentence.startswith("nDCG@10 predicts cited_relevance best: correlation 0.9")
    with (tmp_path / "association.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["retrieval"] for row in rows] == ["nDCG@10", "P@5"]
    assert float(rows[0]["interval_low"]) < float(rows[0]["correlation"]) < float(rows[0]["interval_high"])


def test_where_no_measure_predicts_that_is_said() -> None:
    assert said(tables(0.0)) == ("No retrieval measure predicts cited_relevance on these 120 queries.",)


def test_the_same_answers_beside_every_ranking_say_nothing(tmp_path: Path) -> None:
    assert said(tables(0.7, same=True), tmp_path) == () and not list(tmp_path.iterdir())


def test_without_answers_nothing_is_said() -> None:
    given = {
        name: ScoreTable(table.measures[:2], table.query_ids, table.values[:2]) for name, table in tables(0.7).items()
    }
    assert said(given) == ()


def renamed(given: dict[str, ScoreTable], **names: str) -> dict[str, ScoreTable]:
    return {
        name: replace(table, measures=tuple(names.get(measure, measure) for measure in table.measures))
        for name, table in given.items()
    }


def test_correctness_is_asked_for_before_citations_and_support_beside_it() -> None:
    one = renamed(tables(0.7), cited_relevance="answer_correctness")
    (sentence,) = said(one)  # citation_validity differs, too, and is not spoken of
    assert sentence.startswith("nDCG@10 predicts answer_correctness best")
    both = renamed(one, citation_validity="answer_support")
    assert [sentence.split(" on ")[0] for sentence in said(both)[1:]] == [
        "No retrieval measure predicts answer_support"
    ]


def test_words_shared_with_right_answers_come_before_other_scores_and_those_before_citations() -> None:
    names = renamed(tables(0.7), cited_relevance="answer_f1", citation_validity="answer_brevity")
    assert "answer_f1" in said(names)[0] and len(said(names)) == 1
    names = renamed(tables(0.7), cited_relevance="answer_brevity")
    assert "answer_brevity" in said(names)[0] and len(said(names)) == 1


def test_a_score_that_came_with_the_answers_predicts_nothing_itself(tmp_path: Path) -> None:
    # It once stood among the retrieval measures, and predicted the answers perfectly.
    said(renamed(tables(0.7), citation_validity="answer_correctness"), tmp_path)
    with (tmp_path / "association.csv").open(encoding="utf-8", newline="") as stream:
        assert {row["retrieval"] for row in csv.DictReader(stream)} == {"nDCG@10", "P@5"}


def test_equal_rankings_explain_no_difference_between_answers() -> None:
    given = tables(0.7)
    ranking = given["base"].values[:2]
    same = {name: replace(table, values=np.vstack([ranking, table.values[2:]])) for name, table in given.items()}
    assert said(same) == (
        "All rankings are the same: no retrieval measure can explain what differs in cited_relevance.",
    )


def test_where_all_answers_stand_beside_all_rankings_no_link_is_claimed() -> None:
    # A correlation of exactly 0.5, with an interval of no width, was once told of such a grid.
    given = tables(0.7)
    crossed = {
        f"{ranking}-{answers}": replace(
            given["base"], values=np.vstack([given[ranking].values[:2], given[answers].values[2:]])
        )
        for ranking in ("base", "one")
        for answers in ("base", "one")
    }
    found = stats.standing(crossed, baseline="base-base", primary="nDCG@10", seed=0, options=OPTIONS)
    assert answer_links(crossed, found, 0, OPTIONS, None) == (
        "Every file of answers stands beside every ranking: which ranking an answer is from is not known.",
    )
    own = {name: crossed[name] for name in ("base-base", "one-one")}
    found = stats.standing(own, baseline="base-base", primary="nDCG@10", seed=0, options=OPTIONS)
    assert answer_links(own, found, 0, OPTIONS, None)[0].startswith("nDCG@10 predicts cited_relevance best")
