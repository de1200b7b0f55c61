"""A file of answers joined to an experiment: its measures in the same score table as those of its rankings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, NamedTuple

import numpy as np

from pipeline.answers.assessed import with_references
from pipeline.answers.files import file_digest, read_answers
from pipeline.answers.measures import Case, answer_table, beside, names
from pipeline.answers.preflight import must_fit
from pipeline.answers.reading import Cited, cited
from pipeline.answers.remarks import remarks
from pipeline.answers.support import Texts, checked
from pipeline.citations import (
    CitationSummary,
    Failures,
    FailureTable,
    Settings,
    failure_table,
    failures_of,
    summary,
)
from pipeline.errors import DataError
from pipeline.records import Answer, Answers, Dataset, Retrieved, ScoreTable
from pipeline.storage.fingerprint import stage_key
from pipeline.support import Checked

NEAR = 3  # ids in a message


class Scored(NamedTuple):
    """Scores of an experiment with those of its answers, and facts about the answers."""

    table: ScoreTable
    facts: Mapping[str, float]


@dataclass(frozen=True)
class NoAnswers:
    """No answers: rankings alone are scored."""

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()

    @property
    def name(self) -> str:
        """What tells experiments with other answers apart."""
        return "none"

    def measures(self, dataset: Dataset) -> tuple[str, ...]:
        """None."""
        return ()

    def check(self) -> None:
        """Nothing can be wrong."""

    def key(self, scores: str) -> str:
        """The key of the scores: nothing joins them."""
        return scores

    def score(self, scores: ScoreTable, dataset: Dataset, retrieved: Retrieved, folder: Path, seed: int) -> Scored:
        """The scores as they are."""
        return Scored(scores, {})


@dataclass(frozen=True)
class Precomputed:
    """Answers that were written before, one JSON object a line."""

    VERSION: ClassVar[int] = 3
    libraries: ClassVar[tuple[str, ...]] = ("google-re2",)
    irrelevant: ClassVar[frozenset[str]] = frozenset({"path", "preflight"})  # the content is the key, not its place

    path: str
    citations: Settings = field(default_factory=Settings)
    preflight: bool = True  # a format that does not fit ends the run before it starts

    @property
    def name(self) -> str:
        """What tells experiments with other answers apart: the name of the file."""
        return Path(self.path).name.partition(".")[0]

    def measures(self, dataset: Dataset) -> tuple[str, ...]:
        """What it adds to the score table, which depends on what the lines and the queries hold.

        DataError where no answer is to a query of the dataset.
        """
        answers = self.load()
        _known(answers.answers, dataset)
        return names(with_references(answers.answers, dataset.queries))

    def content(self) -> str:
        """SHA-256 of the file."""
        return file_digest(Path(self.path).expanduser())

    def check(self) -> None:
        """DataError or SettingError in one line where the answers cannot be scored, before anything runs."""
        self.load()

    def key(self, scores: str) -> str:
        """The key of scores with these answers joined: equal answers, equally read, are twins."""
        return stage_key("answers", self.VERSION, scores, self.content(), repr(self.citations))

    def score(self, scores: ScoreTable, dataset: Dataset, retrieved: Retrieved, folder: Path, seed: int) -> Scored:
        """The scores of an experiment with those of its answers; writes what there is to drill into to `folder`."""
        from pipeline.answers.failed import failure_facts
        from pipeline.answers.output import write_joined

        joined = join(self.load(), dataset, self.citations, retrieved=retrieved, seed=seed)
        write_joined(folder, joined)
        return Scored(extended(scores, joined.table), failure_facts(joined))

    def load(self) -> Answers:
        """The answers, looked at first. DataError or SettingError in one line."""
        answers = _read(Path(self.path).expanduser(), self.content())
        if self.preflight:
            must_fit(answers.answers, self.citations, self.path)
        return answers


@lru_cache(maxsize=2)
def _read(path: Path, _digest: str) -> Answers:
    """The answers of a file, read once a process: every job of a sweep asks for them."""
    return read_answers(path)


@dataclass(frozen=True, eq=False)
class Joined:
    """Answers of one experiment, scored."""

    table: ScoreTable  # measures of answers x all queries of the dataset; several answers of a query: their mean
    answers: tuple[Answer, ...]
    unknown: tuple[Answer, ...]  # to queries that the dataset does not have: counted, and measured nowhere
    digest: str  # of the file they are from
    cited: tuple[Cited, ...]  # one an answer
    checked: tuple[tuple[Checked, ...], ...]  # one an answer: its sentences with citations
    failures: tuple[Failures, ...]  # one an answer
    failure_table: FailureTable
    summary: CitationSummary
    notes: tuple[str, ...]


def join(
    answers: Answers, dataset: Dataset, settings: Settings, *, retrieved: Retrieved | None = None, seed: int = 0
) -> Joined:
    """Citations of the answers, with the judgements of the dataset and what an experiment retrieved.

    Answers join by `query_id`. One of an unknown query is left out and counted; DataError if all are.
    """
    places = {name: place for place, name in enumerate(dataset.queries.ids)}
    every = with_references(answers.answers, dataset.queries)
    known = _known(every, dataset)
    grades = [_grades(dataset, places[one.query_id]) for one in known]
    read = tuple(cited(one, settings, judged) for one, judged in zip(known, grades, strict=True))
    ranked = [None if retrieved is None else _ranking(dataset, retrieved, places[one.query_id]) for one in known]
    failures = tuple(
        failures_of(one.report, context=answer.context, grades=judged, retrieved=found)
        for answer, one, judged, found in zip(known, read, grades, ranked, strict=True)
    )
    texts = Texts(dataset.corpus.ids, dataset.corpus.texts, settings.language)
    cases = [Case(answer, one, checked(answer, one, texts)) for answer, one in zip(known, read, strict=True)]
    per_answer = answer_table(cases, beside(every))
    return Joined(
        table=_by_query(per_answer, [places[one.query_id] for one in known], dataset.queries.ids),
        answers=known,
        unknown=tuple(one for one in every if one.query_id not in places),
        digest=answers.digest,
        cited=read,
        checked=tuple(case.checked for case in cases),
        failures=failures,
        failure_table=failure_table(failures),
        summary=summary([one.report for one in read], np.random.default_rng(seed), table=per_answer),
        notes=tuple(_notes(answers, known, read)),
    )


def _known(answers: Sequence[Answer], dataset: Dataset) -> tuple[Answer, ...]:
    """Answers to queries of the dataset; DataError where there are none."""
    ids = set(dataset.queries.ids)
    known = tuple(one for one in answers if one.query_id in ids)
    if not known:
        wanted = ", ".join(dataset.queries.ids[:NEAR])
        found = ", ".join(repr(one.query_id) for one in answers[:NEAR])
        raise DataError(
            f"{answers[0].where}: no answer is to a query of {dataset.name}: query_id {found}; the dataset has {wanted}"
        )
    return known


def extended(scores: ScoreTable, joined: ScoreTable) -> ScoreTable:
    """One table of both; DataError where they are not over the same queries."""
    if scores.query_ids != joined.query_ids:
        raise DataError(f"answers cover {len(joined.query_ids)} queries, the scores {len(scores.query_ids)}")
    return ScoreTable(
        measures=(*scores.measures, *joined.measures),
        query_ids=scores.query_ids,
        values=np.vstack([scores.values, joined.values]),
        undefined={**scores.undefined, **joined.undefined},
    )


def with_all(scores: ScoreTable, measures: Iterable[str]) -> ScoreTable:
    """The table with these measures last and in this order; undefined everywhere where it has none of that name."""
    last = tuple(measures)
    first = tuple(name for name in scores.measures if name not in last)
    rows = dict(zip(scores.measures, scores.values, strict=True))
    nothing = np.full(len(scores.query_ids), np.nan)
    lacking = {name: {"no answer has it": nothing.size} for name in last if name not in rows}
    return ScoreTable(
        measures=(*first, *last),
        query_ids=scores.query_ids,
        values=np.array([rows.get(name, nothing) for name in (*first, *last)]),
        undefined={**scores.undefined, **lacking},
    )


def _by_query(table: ScoreTable, places: Sequence[int], query_ids: tuple[str, ...]) -> ScoreTable:
    """Means over the answers of each query, over those where a measure is defined."""
    shape = (len(table.measures), len(query_ids))
    sums, counts = np.zeros(shape), np.zeros(shape)
    defined = ~np.isnan(table.values)
    np.add.at(sums.T, np.asarray(places), np.where(defined, table.values, 0.0).T)
    np.add.at(counts.T, np.asarray(places), defined.T.astype(np.float64))
    values = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    without = len(query_ids) - len(set(places))
    undefined: dict[str, Mapping[str, int]] = {}
    for row, name in enumerate(table.measures):
        missing = int(np.isnan(values[row]).sum()) - without
        reasons = Counter({"no answer to the query": without}) + Counter(_settled(table, name, missing))
        if reasons:
            undefined[name] = dict(reasons)
    return ScoreTable(table.measures, query_ids, values, undefined)


def _settled(table: ScoreTable, name: str, missing: int) -> dict[str, int]:
    """Reasons of answers, where they add up to the queries; else how many queries are left without a value."""
    reasons = dict(table.undefined.get(name, {}))
    return reasons if sum(reasons.values()) == missing else {"undefined for all answers of the query": missing}


def _grades(dataset: Dataset, query: int) -> dict[str, int] | None:
    """Judgements of a query by document id; None where it has none."""
    qrels = dataset.qrels
    start, end = int(qrels.indptr[query]), int(qrels.indptr[query + 1])
    if start == end:
        return None
    count = len(dataset.corpus.ids)
    names = [
        dataset.corpus.ids[doc] if doc < count else qrels.missing[doc - count] for doc in qrels.docs[start:end].tolist()
    ]
    return dict(zip(names, qrels.grades[start:end].tolist(), strict=True))


def _ranking(dataset: Dataset, retrieved: Retrieved, query: int) -> list[str]:
    """Ids of the documents that were retrieved for a query, best first."""
    known = dataset.corpus.ids
    return [known[doc] for doc in retrieved.documents.items[query].tolist() if 0 <= doc < len(known)]


def _notes(answers: Answers, known: tuple[Answer, ...], read: Sequence[Cited]) -> list[str]:
    """What a person should know about the join, and about the answers."""
    notes = []
    lost = len(answers.answers) - len(known)
    if lost:
        notes.append(f"{lost} of {len(answers.answers)} answers are to queries that the dataset does not have")
    several = len(known) - len({one.query_id for one in known})
    if several:
        notes.append(f"{several} answers share their query with another one: a query counts their mean")
    return notes + remarks(answers, known, read)
