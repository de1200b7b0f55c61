from __future__ import annotations

import unicodedata
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from pipeline.records import Interval, JobRecord, SweepRecord
from pipeline.report.terminal import EndView, plan_line, render_end

DRAWN = """\
rag-sweep  kb-support  a1f3  6 jobs, 6 distinct   3,412 docs  212 queries
reused 3 of 4 embeddings, 2 of 3 BM25 indexes                 2 min 41 s

   #  configuration         nDCG@10  95 % interval  R@2k tok  read     ms
=  1  hybrid minilm  512      0.612  [0.571,0.652]     0.701   51%     14
=  2  hybrid minilm  256      0.604  [0.563,0.644]     0.733  100%     14
=  3  hybrid bge-m3  512      0.598  [0.557,0.638]     0.690   99%     61
   4  dense  bge-m3  512      0.561  [0.520,0.601]     0.655  100%     58
   5  bm25   -       512      0.524  [0.483,0.564]     0.618     -      2
   -  hybrid bge-m3 1024    FAILED  out of memory: embedding.batch_size=8
=  the data cannot tell these from the best (all pairs, corrected)

vs baseline  bm25 512      diff.  95 % interval  simultaneous   w/t/l     p
hybrid minilm 512         +0.088  [+.051,+.126]  [+.043,+.134] 96/81/35  .001  +
dense  bge-m3 512         +0.037  [-.006,+.080]  [-.014,+.088] 88/62/62  .210  ?
simultaneous and p: for 2 comparisons at once (Holm)   + better  ? cannot tell

VERDICT  Ship hybrid over bm25: +0.088 nDCG@10 observed, about +0.07 expected
         after choosing the best of 5.
         256 or 512 tokens? These 212 queries cannot settle it: ~640 would.
CAUTION  minilm reads 254 tokens: at 512 half of each chunk is unread.
files    outputs/sweeps/1130-1412-a1f3/   leaderboard.csv
MLflow   http://127.0.0.1:5000/#/experiments/3/runs?viewStateShareKey=sweep-a1f3
next     python -m pipeline.show a1f3 --losses hybrid-minilm-512
         python -m pipeline.compare a1f3 --baseline dense-bge-m3-512
"""


def wide(text: str) -> int:
    return max(cell_len(line) for line in text.splitlines() if "://" not in line)


def test_the_end_of_a_sweep_is_the_drawing(drawn):
    sweep, standing = drawn
    view = EndView(
        sweep,
        standing,
        (
            "Ship hybrid over bm25: +0.088 nDCG@10 observed, about +0.07 expected",
            "after choosing the best of 5.",
            "256 or 512 tokens? These 212 queries cannot settle it: ~640 would.",
        ),
        ("minilm reads 254 tokens: at 512 half of each chunk is unread.",),
        ("http://127.0.0.1:5000/#/experiments/3/runs?viewStateShareKey=sweep-a1f3",),
        (
            "python -m pipeline.show a1f3 --losses hybrid-minilm-512",
            "python -m pipeline.compare a1f3 --baseline dense-bge-m3-512",
        ),
        "reused 3 of 4 embeddings, 2 of 3 BM25 indexes",
    )
    assert render_end(view) == DRAWN


def test_a_sole_best_is_not_marked_as_tied(drawn):
    sweep, standing = drawn
    text = render_end(EndView(sweep, replace(standing, may_be_best=("hybrid-minilm-512",))))
    assert "\n=" not in text
    assert "   1  hybrid minilm  512" in text


def test_a_failed_job_is_never_ranked_and_says_why_in_full(drawn):
    sweep, standing = drawn
    reason = "out of memory while encoding 9,120 chunks; lower embedding.batch_size from 64 to 8 and use resume=a1f3"
    text = render_end(EndView(replace(sweep, jobs=(*sweep.jobs[:5], replace(sweep.jobs[5], reason=reason))), standing))
    at = text.index("   -  hybrid bge-m3 1024")
    assert " ".join(text[at:].split("\n=")[0].split()) == f"- hybrid bge-m3 1024 FAILED {reason}"
    assert wide(text) <= 80


def test_all_failed_is_a_table_of_reasons_without_comparison(drawn):
    sweep, _ = drawn
    jobs = tuple(replace(job, state="failed", reason=f"reason {job.number}") for job in sweep.jobs)
    text = render_end(EndView(replace(sweep, jobs=jobs), None))
    assert [f"reason {n}" in text for n in range(6)] == [True] * 6
    assert "vs baseline" not in text
    assert "nDCG@10" not in text


def test_without_judgements_it_shows_cost_and_overlap(drawn):
    sweep, _ = drawn
    facts = {"read_share": 1.0, "p50_ms": 3.0, "index_bytes": 5_100_000.0, "overlap_at_10": 0.42}
    jobs = tuple(replace(job, facts=facts) for job in sweep.jobs[:2])
    text = render_end(EndView(replace(sweep, jobs=jobs), None))
    assert "   #  configuration         overlap  read     ms     MB" in text
    assert "   -  bm25  -      512          42%  100%      3    5.1" in text


def test_one_experiment_has_no_comparison_block(drawn):
    sweep, standing = drawn
    alone = replace(standing, may_be_best=("bm25-512",), comparisons=())
    text = render_end(EndView(replace(sweep, jobs=sweep.jobs[:1]), alone))
    assert "1 job, 1 distinct" in text
    assert "vs baseline" not in text
    assert "   1  bm25 - 512" in text


def test_a_missing_interval_is_a_dash(drawn):
    sweep, standing = drawn
    text = render_end(EndView(sweep, replace(standing, intervals={})))
    assert "=  1  hybrid minilm  512      0.612              -     0.701   51%     14" in text


def test_a_mean_over_fewer_queries_says_so(drawn):
    sweep, standing = drawn
    fewer = {name: {"nDCG@10": 198, "R@2048tok": 198} for name in standing.defined}
    assert "nDCG@10 is the mean over 198 of 212 queries" in render_end(EndView(sweep, replace(standing, defined=fewer)))


def many(sweep: SweepRecord, standing, count: int):
    names = [f"hybrid-minilm-{size}" for size in range(100, 100 + count)]
    setups = [{"retriever": "hybrid", "embedding": "minilm", "chunk_size": 100 + n} for n in range(count)]
    jobs = [JobRecord(n, names[n], "done", "", None, names[n], setups[n], (), {}, None, "") for n in range(count)]
    means = {name: {"nDCG@10": 0.9 - 0.01 * n} for n, name in enumerate(names)}
    defined = {name: {"nDCG@10": 212} for name in names}
    last = replace(standing, baseline=names[-1], may_be_best=(names[0],), comparisons=(), means=means, defined=defined)
    return replace(sweep, jobs=tuple(jobs), baseline=names[-1]), replace(last, intervals={})


def test_many_experiments_show_the_best_the_baseline_and_where_the_rest_is(drawn):
    sweep, standing = many(*drawn, 30)
    text = render_end(EndView(sweep, standing))
    assert "  20  hybrid minilm 119" in text
    assert "hybrid minilm 120" not in text
    assert "  30  hybrid minilm 129" in text
    assert "9 more in leaderboard.csv" in text


def test_names_that_are_not_the_three_settings_are_shown_as_they_are(drawn):
    sweep, standing = drawn
    renamed = replace(sweep.jobs[0], name="bm25-512-k1=0.9")
    means = {**standing.means, "bm25-512-k1=0.9": standing.means["bm25-512"]}
    text = render_end(EndView(replace(sweep, jobs=(renamed, *sweep.jobs[1:])), replace(standing, means=means)))
    assert "   5  bm25-512-k1=0.9 " in text
    assert "=  1  hybrid-minilm-512 " in text


@pytest.mark.parametrize("p, shown", [(0.0001, "<.001"), (0.041, " .041"), (1.0, "1.000"), (None, " .002")])
def test_a_p_value_is_never_zero(drawn, p, shown):
    sweep, standing = drawn
    changed = replace(standing.comparisons[0], p_corrected=p, p=0.002)
    text = render_end(EndView(sweep, replace(standing, comparisons=(changed,))))
    assert f"96/81/35 {shown}  +" in text


@given(
    name=st.text(min_size=1, max_size=120),
    other=st.text(st.characters(min_codepoint=0x3000, max_codepoint=0x9FFF), min_size=40, max_size=90),
    reason=st.text(max_size=300),
)
def test_hostile_names_never_break_80_columns(name, other, reason):
    settings = {"retriever": other, "embedding": name, "chunk_size": 512}
    facts = {"read_share": 1.0, "p50_ms": 123456.0}
    jobs = (
        JobRecord(0, name, "done", "", None, "a", settings, (), facts, None, ""),
        JobRecord(1, other, "failed", reason, None, "b", {**settings, "chunk_size": 10**9}, (), {}, None, ""),
    )
    dataset = {"name": other, "documents": 10**9, "queries": 10**7}
    sweep = SweepRecord("a1f3", f"out/{other}", "", "", dataset, (), name, "nDCG_exp@10000",
                        ("nDCG_exp@10000", "Rspan@2048tok"), jobs, 0, 7261.0)  # fmt: skip
    text = render_end(EndView(sweep, None, (reason, name), (other,), (), (name,), name))
    text += plan_line(sweep, other)
    assert wide(text.replace("://", "")) <= 80
    assert {unicodedata.category(char) for char in text if char != "\n"}.isdisjoint({"Cc", "Cf", "Cs", "Zl", "Zp"})


def test_an_escape_code_in_a_name_is_shown_not_sent(drawn):
    sweep, standing = drawn
    text = render_end(EndView(sweep, standing, ("\x1b[31mred\u202e",)))
    assert r"\x1b[31mred\u202e" in text


def test_plan_line_says_what_will_be_done(drawn):
    sweep, _ = drawn
    assert plan_line(sweep, "4 to compute, 2 cached").splitlines()[1] == "plan     4 to compute, 2 cached"


def test_the_leading_interval_is_shown_where_it_is_not_t(drawn):
    sweep, standing = drawn
    changed = replace(standing.comparisons[0], interval=Interval(0.049, 0.131, method="bca"))
    assert "[+.049,+.131]" in render_end(EndView(sweep, replace(standing, comparisons=(changed,))))


def test_a_long_name_of_a_measure_leaves_the_names_of_experiments_readable(drawn):
    # The whole name pushed `bm25-512-decay:0.3-30d` together to `bm25-…3-30d`, and `difference` into the baseline.
    sweep, standing = drawn
    long = "nDCG_t(half_life=1826)@10"
    means = {name: {**row, long: row["nDCG@10"]} for name, row in standing.means.items()}
    compared = tuple(replace(c, measure=long) for c in standing.comparisons)
    changed = replace(standing, primary=long, means=means, comparisons=compared, baseline="bm25-512")
    text = render_end(EndView(replace(sweep, primary=long), changed))
    assert "nDCG_t@10  95 % interval" in text
    assert "hybrid minilm  512" in text


def test_with_weights_the_plain_mean_stands_beside_the_one_by_traffic(drawn):
    sweep, standing = drawn
    weighed = replace(standing, unweighted={"hybrid-minilm-512": {"nDCG@10": 0.125}})
    text = render_end(EndView(replace(sweep, weights=(1.0, 3.0)), weighed))
    assert "95 % interval  unweighted  read" in text
    line = next(line for line in text.splitlines() if line.startswith("=  1"))
    assert "0.612" in line and "0.125" in line and "0.701" not in line
    assert wide(text) <= 80
