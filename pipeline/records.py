"""What flows through the pipeline: frozen records, no logic, no I/O.

Ids are strings at the edges only. Inside, a document, a query or a chunk is its position (int32) in one of these
records. Documents and queries stand in ascending order of their ids (code points, which is also the order of their
UTF-8 bytes), so comparing two positions compares the two ids: every tie rule is a comparison of integers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int32]
Longs: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Vectors: TypeAlias = NDArray[np.float32]
Dates: TypeAlias = NDArray[np.datetime64]
Bools: TypeAlias = NDArray[np.bool_]

Judgements: TypeAlias = Literal["complete", "pooled", "positives_only"]
Unit: TypeAlias = Literal["chunk", "document"]
Role: TypeAlias = Literal["query", "document"]
Prefix: TypeAlias = Literal["none", "title", "headings"]
State: TypeAlias = Literal["planned", "running", "done", "failed", "killed", "twin"]
Scalar: TypeAlias = str | int | float | bool


# --- the dataset ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents by ascending id. `texts` already contain the title where the loader joined it (once)."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    titles: tuple[str, ...]  # "" = none
    dates: Dates  # datetime64[s] in UTC, NaT = none
    metadata: tuple[Mapping[str, object], ...]


@dataclass(frozen=True, eq=False)
class Queries:
    """Queries by ascending id, with what is known about each."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    slices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # column -> one label a query
    cluster: tuple[str, ...] | None = None  # queries written from the same document or topic share a label
    weight: Floats | None = None  # traffic share, > 0
    as_of: Dates | None = None  # datetime64[s], NaT = none
    answerable: Bools | None = None  # False = the corpus holds no answer, by judgement
    references: tuple[tuple[str, ...], ...] | None = None  # right answers a query, any of them; None = no query has one


@dataclass(frozen=True, eq=False)
class Qrels:
    """Judgements of query q: `docs[indptr[q]:indptr[q+1]]`, ascending, with their integer `grades`.

    Documents are positions in the corpus; position `len(corpus) + i` is `missing[i]`, a judged id that the corpus
    lacks: it stays in every denominator. Grade 0 = judged, not relevant; -1 = pooled, not judged (trec_eval).
    """

    indptr: Longs
    docs: Ints
    grades: Ints
    missing: tuple[str, ...] = ()
    judgements: Judgements = "pooled"


@dataclass(frozen=True, eq=False)
class Spans:
    """Evidence: characters [start, end) of document `doc` for query `query`; one row a span, sorted by query.

    Spans of one query with the same `group` are alternatives: any of them suffices.
    """

    query: Ints
    doc: Ints
    start: Ints
    end: Ints
    group: Ints


@dataclass(frozen=True)
class Digests:
    """SHA-256 (hex) of each part's content; equal digests mean equal parts."""

    corpus: str
    queries: str
    qrels: str
    spans: str
    whole: str


@dataclass(frozen=True, eq=False)
class Dataset:
    """Everything that was loaded, checked and aligned once."""

    name: str
    version: str
    corpus: Corpus
    queries: Queries
    qrels: Qrels
    spans: Spans | None
    digests: Digests
    notes: tuple[str, ...] = ()  # what a person should know: unknown ids, unjudged queries, guesses
    counts: Mapping[str, int] = field(default_factory=dict)
    grade_meanings: Mapping[int, str] = field(default_factory=dict)
    folder: str = ""  # that it was read from; "" = built in


# --- texts in pieces -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class TokenOffsets:
    """Token t of document d covers characters [start[t], end[t]) for t in indptr[d] .. indptr[d+1]-1, in text order."""

    indptr: Longs
    start: Ints
    end: Ints


@dataclass(frozen=True, eq=False)
class Chunks:
    """Pieces of documents, sorted by (doc, start): the text is `corpus.texts[doc][start:end]`, always.

    `prefix` is embedded and indexed before the text and counts in `tokens`, but is no part of the place.
    """

    doc: Ints
    start: Ints
    end: Ints
    tokens: Ints  # in the chunker's own tokenizer
    prefix: tuple[str, ...] | None = None  # one a chunk, "" = none; None = no chunk has one


# --- rankings ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Run:
    """Rankings, one row a query: positions of chunks or documents, best first; -1 and score NaN = nothing.

    `foreign` names documents neither in the corpus nor judged (runs of other systems bring them):
    `foreign[i]` has the position `len(corpus) + len(qrels.missing) + i`.
    """

    unit: Unit
    items: Ints  # (queries, width)
    scores: Floats  # (queries, width)
    foreign: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Stop:
    """Where a chunk ranking ends: exactly at the chunk that brings in the `depth`-th document, or where matches end."""

    doc: Ints  # document of every chunk
    depth: int  # in documents, >= 1


@dataclass(frozen=True, eq=False)
class Context:
    """The retrieved chunks as places in documents, in rank order; one row a query, doc -1 = nothing."""

    doc: Ints
    start: Ints
    end: Ints


@dataclass(frozen=True)
class Reading:
    """How much of the chunk texts an embedding model really read, in the model's own tokens."""

    read: int
    total: int
    limit: int | None  # tokens of text the model reads at a time; None = no limit


@dataclass(frozen=True, eq=False)
class Retrieved:
    """What one experiment retrieved, and what that took: everything that scoring needs."""

    chunks: Run
    documents: Run
    context: Context
    latency_ms: Floats  # one value a probed query, encoding included, one at a time; empty = not probed
    facts: Mapping[str, float]  # chunks, index_bytes, read_tokens, text_tokens, shortfall, …
    machine: Mapping[str, Scalar]  # date, host kind, threads, whether other jobs ran beside the probe


# --- answers -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Judge:
    """What a judge model replied, raw, on so many statements of an answer."""

    reply: str
    statements: int | None = None  # None = as many as the reply speaks of


@dataclass(frozen=True)
class Answer:
    """What a system said to one query, and the context it was given."""

    id: str
    query_id: str  # "" = not known
    text: str | None  # None = there is no answer
    context: tuple[str, ...]  # ids in prompt order; repeats are kept, they take a place
    titles: tuple[str, ...] = ()  # one a context id, or none
    urls: tuple[str, ...] = ()
    time: str = ""  # ISO 8601
    provider: str = ""  # openai | anthropic | cohere: how `structured` is to be read
    structured: tuple[Mapping[str, object], ...] = ()  # citations that came beside the text
    stratum: str = ""  # what production answers are sampled and split by: model, tenant, …
    where: str = ""  # path:line
    scores: Mapping[str, float] = field(default_factory=dict)  # by assessors or a judge, in [0, 1]; NaN = undecided
    references: tuple[str, ...] = ()  # right answers, any of them
    texts: tuple[str | None, ...] = ()  # one a context id, None = not known; or none
    judge: Judge | None = None


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers of one system, in the order of their file."""

    answers: tuple[Answer, ...]
    digest: str  # SHA-256 of the file's bytes
    counts: Mapping[str, int]  # what a person should know: no context, empty, repeated context ids, …


# --- values --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """measure x query -> value. NaN = undefined (never 0, never 1); `undefined` counts why, per measure."""

    measures: tuple[str, ...]
    query_ids: tuple[str, ...]
    values: Floats  # (measures, queries)
    undefined: Mapping[str, Mapping[str, int]] = field(default_factory=dict)  # measure -> reason -> queries
    weights: Floats | None = None  # (queries,) traffic, >= 0: how much each query counts; None = all alike


@dataclass(frozen=True)
class Interval:
    """[low, high] of a mean or a difference of means, at `level`."""

    low: float
    high: float
    level: float = 0.95
    method: str = "t"


@dataclass(frozen=True)
class Comparison:
    """treatment minus baseline on one measure, paired by query, with everything a verdict rests on."""

    measure: str
    baseline: str
    treatment: str
    queries: int  # pairs where both are defined
    difference: float
    t_interval: Interval
    bootstrap_interval: Interval
    simultaneous_interval: Interval | None  # holds for the whole family at once; None outside the family
    p: float
    p_corrected: float | None  # None = not in the family (description only)
    correction: str
    wins: int
    ties: int
    losses: int
    verdict: str  # better | worse | equivalent | cannot tell | identical | too few queries differ | too few clusters
    detectable: float | None  # smallest difference this many queries can settle (spread, level)
    queries_needed: int | None  # to settle the observed difference; None = settled, or no number can be given
    note: str = ""  # where interval and p disagree, or what else must be said
    interval: Interval | None = None  # the leading one where it is not t: bca, studentised, score (0/1 measures)
    bounds: Interval | None = None  # over all ways the unjudged could turn out; None = nothing is open, or not known
    bounds_sampled: Interval | None = None  # the same, each end moved outwards by its sampling error
    tipping: float | None = None  # by how much relevance rates of unjudged hits must differ to turn the sign


@dataclass(frozen=True)
class Confirmed:
    """An experiment chosen on the select part, and its gain from the confirm part alone."""

    chosen: str
    observed: float  # gain over the baseline on the select part: too high
    select_queries: int
    confirm_queries: int
    comparison: Comparison | None  # on the confirm part, one comparison, nothing to correct; None = the baseline won
    note: str  # "reused" once the confirm part has served before


@dataclass(frozen=True)
class CrossValidated:
    """The best of every fold's other queries, measured on the fold."""

    gain: float  # mean over queries of (chosen for the query's fold - baseline)
    interval: Interval
    chosen: tuple[str, ...]  # one a fold


@dataclass(frozen=True)
class Contrast:
    """One level of an axis against another, everything else that both have held equal."""

    axis: str
    level: Scalar
    against: Scalar
    cells: int  # settings of the other axes in which both levels were run
    difference: float
    interval: Interval
    simultaneous: Interval | None  # over all contrasts of all axes
    p_corrected: float
    verdict: str  # matters | does not matter (simultaneous interval within the margin) | identical | cannot tell


@dataclass(frozen=True)
class Share:
    """Share of the variance within queries: of an axis, of two axes together, or of either with the queries."""

    source: str  # `chunk_size`, `retriever x chunk_size`, `chunk_size x query`, `rest`
    share: float


@dataclass(frozen=True)
class Tuned:
    """A setting that a sweep varied: the value of the experiment it chose, and which queries chose it."""

    setting: str
    value: Scalar
    tried: str
    experiment: str
    tuned_on: str  # `all 198 queries`, `select part, 99 queries`
    measured_on: str  # what its gain is measured on: `the same`, `confirm part, 99 queries`, `5 folds, …`


@dataclass(frozen=True)
class Standing:
    """Where a whole sweep stands: each experiment against the baseline, and which may be the best."""

    primary: str
    baseline: str
    best: str
    may_be_best: tuple[str, ...]  # experiments the data cannot tell from the best, best first
    comparisons: tuple[Comparison, ...]  # primary measure first, then description
    means: Mapping[str, Mapping[str, float]]  # experiment -> measure -> mean
    intervals: Mapping[str, Mapping[str, Interval]]  # experiment -> measure -> interval of its mean
    defined: Mapping[str, Mapping[str, int]]  # experiment -> measure -> queries the mean is over
    rivals: tuple[Comparison, ...] = ()  # the best against each other member of may_be_best (baseline = that member)
    expected_gain: Interval | None = None  # over the baseline, of choosing the best this way (half-splits)
    expected_gain_mean: float | None = None
    notes: tuple[str, ...] = ()  # what must be said about the whole: clusters, queries left out
    confirmed: Confirmed | None = None  # split=holdout
    cross_validated: CrossValidated | None = None  # split=kfold
    contrasts: tuple[Contrast, ...] = ()  # of every two levels of every axis, where there are two axes
    shares: tuple[Share, ...] = ()  # of the variance within queries, where there are two axes
    tuned: tuple[Tuned, ...] = ()  # the settings that were swept
    unweighted: Mapping[str, Mapping[str, float]] = field(default_factory=dict)  # means without the weights, if any


# --- what stands on disk -------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class JobRecord:
    """One job as its folder tells it."""

    number: int
    name: str
    state: State
    reason: str  # why it failed; "" otherwise
    same_as: int | None  # the job that is the same experiment
    key: str  # fingerprint of the experiment; equal keys are twins
    settings: Mapping[str, Scalar]  # flat and complete: retriever, embedding, chunk_size, …
    overrides: tuple[str, ...]
    facts: Mapping[str, float]  # read_share, p50_ms, p95_ms, index_bytes, seconds, chunks, judged_at_10, …
    scores: ScoreTable | None  # None unless done
    folder: str


@dataclass(frozen=True, eq=False)
class SweepRecord:
    """One sweep (or one single run: a sweep of one) as its folder tells it."""

    id: str
    folder: str
    created: str  # ISO 8601, UTC
    command: str
    dataset: Mapping[str, Scalar]  # name, version, digest, documents, queries, judged, judgements
    notes: tuple[str, ...]
    baseline: str  # name of the baseline experiment
    primary: str
    measures: tuple[str, ...]
    jobs: tuple[JobRecord, ...]
    seed: int
    seconds: float
    weights: tuple[float, ...] | None = None  # traffic share, one a query; None = all count alike
