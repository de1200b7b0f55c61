"""What the tests of the measures share: records from plain rows, and TREC files read independently of the package."""

from types import SimpleNamespace

import numpy as np
import pytest

from pipeline.metrics import Case, Options, catalogue, evaluate, parse
from pipeline.metrics.catalogue import FAMILIES
from pipeline.records import Qrels, Run

TODAY = np.datetime64("2024-06-30T00:00:00", "s")


def make_qrels(rows, **extra):
    """Judgements from rows of {document: grade}."""
    indptr = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    docs = np.array([d for row in rows for d in sorted(row)], np.int32)
    grades = np.array([row[d] for row in rows for d in sorted(row)], np.int32)
    return Qrels(indptr, docs, grades, **extra)


def make_run(rows, scores=None):
    """Rankings from rows of documents, best first."""
    width = max(map(len, rows), default=0)
    items = np.array([[*row, *[-1] * (width - len(row))] for row in rows], np.int32).reshape(len(rows), width)
    values = np.where(items >= 0, -np.arange(width, dtype=float), np.nan)
    for row, given in enumerate(scores or []):
        values[row, : len(given)] = given
    return Run("document", items, values)


def make_case(rankings, judged, scores=None, **extra):
    """A case from rows of documents and rows of {document: grade}."""
    ids = tuple(f"q{i:03d}" for i in range(len(rankings)))
    dates = extra.pop("dates", TODAY - 10 * (np.arange(300) % 7).astype("timedelta64[D]"))
    as_of = extra.pop("as_of", np.full(len(rankings), TODAY))
    return Case(ids, make_run(rankings, scores), make_qrels(judged, **extra), dates=dates, as_of=as_of)


def value(name, ranking, judgements, **options):
    """One measure of one query."""
    return evaluate([parse(name)], make_case([ranking], [judgements]), Options(**options)).values[0, 0]


def read_trec(qrels_path, run_path):
    """A case from TREC files: query -> {doc: grade} and query -> {doc: score}, ranked by (score, id) descending."""
    judged, scored = {}, {}
    for line in qrels_path.read_text().splitlines():
        query, _, doc, grade = line.split()
        judged.setdefault(query, {})[doc] = int(grade)
    for line in run_path.read_text().splitlines():
        query, _, doc, _, score = line.split()[:5]  # the tag may hold blanks
        scored.setdefault(query, {})[doc] = float(score)
    queries = sorted({*judged, *scored})
    docs = {doc for part in (judged, scored) for row in part.values() for doc in row}
    ids = {doc: place for place, doc in enumerate(sorted(docs))}
    rankings = [
        [ids[d] for d, _ in sorted(scored.get(q, {}).items(), key=lambda pair: (pair[1], pair[0]), reverse=True)]
        for q in queries
    ]
    grades = [{ids[d]: g for d, g in judged.get(q, {}).items()} for q in queries]
    return Case(tuple(queries), make_run(rankings), make_qrels(grades))


def instances():
    """Every family at a cutoff, whole, at level 2 and condensed, as far as it has these."""
    for (name, counted), family in sorted(FAMILIES.items()):
        has = {param.name for param in family.params}
        inner = [f"{param.name}={param.example}" for param in family.params if param.default is None]
        cuts = {"required": ["@3"], "optional": ["@3", ""], "none": [""]}[family.cutoff]
        for cut in cuts:
            tail = cut.replace("3", "7tok") if counted == "tokens" else cut
            for more in [[], ["rel=2"], ["judged_only=True"], ["whole=True"], ["all=True"]]:
                if not more or more[0].partition("=")[0] in has:
                    text = ",".join(inner + more)
                    yield parse(name + (f"({text})" if text else "") + tail)


MEASURES = list(instances())


def relations(measure):
    """What the catalogue declares, for this member of the family."""
    declared = FAMILIES[measure.name, measure.counted].relations
    if measure.flag("judged_only"):
        # hits below the cutoff move up when unjudged ones go, and a judged document may push out a better one
        declared = (declared - {catalogue.BELOW, catalogue.REPLACE}) | {catalogue.HOLES}
    if measure.flag("whole"):
        declared = declared - {catalogue.SPLIT}  # a chunk that begins within the budget counts whole
    if measure.cutoff is None:
        declared = declared - {catalogue.CUTOFF, catalogue.BELOW}
    return declared


def declaring(relation, counted="ranks"):
    """The members that declare `relation`."""
    return [m for m in MEASURES if m.counted == counted and relation in relations(m)]


@pytest.fixture(scope="session")
def build():
    return SimpleNamespace(
        qrels=make_qrels, run=make_run, case=make_case, value=value, trec=read_trec, today=TODAY,
        measures=MEASURES, relations=relations, declaring=declaring,
    )  # fmt: skip
