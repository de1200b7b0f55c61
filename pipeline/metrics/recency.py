"""Measures that let a document's worth fade with its age, shape (n,): decay = 2^(-age / half-life), in days.

That is e^(-lambda * age) with lambda = ln 2 / half-life. The decay multiplies the gain, in the ideal ranking too.
"""

from __future__ import annotations

import numpy as np

from pipeline.errors import SettingError
from pipeline.metrics.blocks import UNLISTED, join, ragged
from pipeline.metrics.case import Case, Options
from pipeline.metrics.gains import discounted, linear_gain, share
from pipeline.metrics.measure import Measure
from pipeline.metrics.ranked import Ages, Ranked
from pipeline.records import Bools, Dates, Floats, Ints, Longs, Run

_DAY = 86400.0  # seconds


def decayed_ndcg(view: Ranked, measure: Measure) -> Floats:
    """nDCG@k with gain = grade * decay; NaN where no relevant document is left by the query's day."""
    ages = _ages(view)
    half_life = measure.number("half_life", 1.0)
    gains = linear_gain(ages.hit_grades) * np.exp2(-ages.hits / half_life)
    ideal = -np.sort(-linear_gain(ages.grades) * np.exp2(-ages.judged / half_life), axis=1)
    best = discounted(ideal[:, : measure.cutoff])
    return np.where(best > 0, share(discounted(gains[:, : measure.cutoff]), best), np.nan)


def freshness(view: Ranked, measure: Measure) -> Floats:
    """Mean decay of the relevant hits among the first k; NaN where there are none."""
    ages = _ages(view)
    relevant = ages.hit_grades[:, : measure.cutoff] >= 1
    decay = np.exp2(-ages.hits[:, : measure.cutoff] / measure.number("half_life", 1.0))
    count = np.count_nonzero(relevant, axis=1)
    return np.where(count > 0, share(np.where(relevant, decay, 0.0).sum(axis=1), count), np.nan)


def leaks(run: Run, dates: Dates, as_of: Dates) -> Longs:
    """(queries,): hits dated after the query's day: documents that could not have been found on it."""
    later: Bools = _dated(run.items, dates) > as_of[:, None]  # false where either is NaT
    counts: Longs = np.count_nonzero(later, axis=1)
    return counts


def age_block(case: Case, rows: Longs, options: Options) -> Ages:
    """Ages of the hits and judgements of the queries `rows`; SettingError for an undated relevant document."""
    if case.dates is None or case.as_of is None or case.documents is None:
        raise SettingError("measures of recency need document dates and the day of each query: as_of")
    day = case.as_of[rows][:, None]
    entry = ragged(case.qrels.indptr, rows)
    docs = np.full((len(rows), entry.width), -1, np.int32)
    grades = np.full((len(rows), entry.width), UNLISTED, np.int32)
    docs[entry.row, entry.column] = case.qrels.docs[entry.at]
    grades[entry.row, entry.column] = case.qrels.grades[entry.at]
    judged = _age(_dated(docs, case.dates), day)
    if options.undated == "refuse" and (bad := (grades >= 1) & np.isnan(judged) & ~np.isnat(day)).any():
        query = case.query_ids[int(rows[np.nonzero(bad)[0][0]])]
        raise SettingError(
            f"query {query!r}: {np.count_nonzero(bad)} relevant documents have no date; "
            "give dates, or set undated to fresh or stale"
        )
    items = case.documents.items[rows]
    pair = join(docs, items, rows, repeats=False)
    hit_grades = np.full(items.shape, UNLISTED, np.int32)
    hit_grades[pair.row, pair.hit] = grades[pair.row, pair.judgement]
    hits = _age(_dated(items, case.dates), day)
    if options.later == "exclude":
        grades = np.where(judged < 0, UNLISTED, grades)
        order = np.argsort(hits < 0, axis=1, kind="stable")
        hit_grades = np.take_along_axis(np.where(hits < 0, UNLISTED, hit_grades), order, axis=1)
        hits = np.take_along_axis(hits, order, axis=1)
    missing = np.inf if options.undated == "stale" else 0.0
    return Ages(hit_grades, _settled(hits, missing), grades, _settled(judged, missing))


def _ages(view: Ranked) -> Ages:
    if view.ages is None:
        raise SettingError("measures of recency need document dates and the day of each query: as_of")
    return view.ages


def _dated(docs: Ints, dates: Dates) -> Dates:
    """Dates of documents; NaT where there is none, or no such document in the corpus."""
    known = (docs >= 0) & (docs < len(dates))
    out = np.full(docs.shape, np.datetime64("NaT", "s"))
    out[known] = dates[docs[known]]
    return out


def _age(dates: Dates, day: Dates) -> Floats:
    """Days from `dates` to `day`, below 0 where later, NaN where either is not known."""
    apart = day - dates
    return np.where(np.isnat(apart), np.nan, apart.astype("timedelta64[s]").astype(np.float64) / _DAY)


def _settled(ages: Floats, missing: float) -> Floats:
    """Ages without holes: later ones count as of today, unknown ones as `missing`."""
    return np.where(np.isnan(ages), missing, np.maximum(ages, 0.0))
