"""Hidden judgements of python_topics: whatever is left, the bounds hold the difference that all of them give."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pipeline.datasets.python_topics import PythonTopics
from pipeline.metrics import parse

PATH = Path(__file__).resolve().parents[2] / "scripts" / "hide_judgements.py"
spec = importlib.util.spec_from_file_location("hide_judgements", PATH)
hiding = importlib.util.module_from_spec(spec)
spec.loader.exec_module(hiding)


@pytest.fixture(scope="module")
def topics():
    return PythonTopics().load()


@pytest.mark.slow
@pytest.mark.parametrize("name", hiding.MEASURES)
def test_bounds_hold_the_full_difference_of_python_topics_in_every_trial(topics, name):
    held = hiding.hide(topics, parse(name), 63, np.random.default_rng(11))  # 8 measures x 63 > 500 trials
    assert (held.means, held.within) == (63, held.questions)
    assert held.questions > 63 * 100
    assert 0 < held.width < 8  # they are not simply everything


@pytest.mark.slow
@pytest.mark.parametrize("name", hiding.MEASURES)
def test_bounds_hold_the_full_difference_of_a_pooled_cranfield_in_every_trial(collections, name):
    cranfield = hiding.Beir(str(collections / "cranfield")).load()
    held = hiding.hide(cranfield, parse(name), 20, np.random.default_rng(11), pool=True)
    assert (held.means, held.within) == (20, held.questions)
    assert held.questions > 20 * 150
    assert 0 < held.width < 20  # DCG over 10 ranks with grades up to 4 is wide


def test_a_pool_judges_the_first_documents_of_both_rankings_and_knows_the_rest_from_no_list(topics):
    runs = hiding.rankings(topics)
    pool = hiding.pooled(topics.qrels, runs, np.random.default_rng(3))
    depth = int(np.random.default_rng(3).integers(1, hiding.POOLED + 1))
    for row in (0, 7, 100):
        first = {doc for run in runs for doc in run.items[row, :depth].tolist() if doc >= 0}
        judged = slice(pool.indptr[row], pool.indptr[row + 1])
        listed = slice(topics.qrels.indptr[row], topics.qrels.indptr[row + 1])
        known = dict(zip(topics.qrels.docs[listed].tolist(), topics.qrels.grades[listed].tolist(), strict=True))
        assert set(pool.docs[judged].tolist()) == first
        assert pool.grades[judged].tolist() == [known.get(doc, 0) for doc in pool.docs[judged].tolist()]


def test_the_trial_can_fail_documents_of_higher_grades_than_stated_break_the_bounds(topics):
    # Grades doubled after the bounds were made for the old scale: nDCG with exponential gains is then another number.
    measure, rng = parse("DCG_exp@10"), np.random.default_rng(0)
    a, b = hiding.rankings(topics)
    higher = replace(topics, qrels=replace(topics.qrels, grades=topics.qrels.grades * 2))
    true = hiding.difference(higher, measure, (a, b))
    bounds = hiding.difference_bounds(measure, a, b, hiding.hidden(topics.qrels, rng), int(topics.qrels.grades.max()))
    assert ((true < bounds.low - 1e-9) | (true > bounds.high + 1e-9)).any()


def test_a_fifth_to_nine_tenths_of_the_judgements_are_hidden(topics):
    rng = np.random.default_rng(1)
    shares = [1 - len(hiding.hidden(topics.qrels, rng).docs) / len(topics.qrels.docs) for _ in range(60)]
    assert 0.15 < min(shares) < 0.3 and 0.8 < max(shares) < 0.95
