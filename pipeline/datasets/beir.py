"""A folder in the layout of BEIR: corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv, and optionally spans.jsonl."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from pipeline.datasets.assemble import assemble
from pipeline.datasets.beir_files import read_corpus, read_queries, read_spans
from pipeline.datasets.judgement_files import JudgementFile, is_sheet, read_judgements
from pipeline.datasets.places import existing_file, existing_folder, named_file, names_in
from pipeline.datasets.raw import Raw, RawQuery
from pipeline.errors import DataError, SettingError
from pipeline.records import Dataset, Judgements

WANTED = "corpus.jsonl, queries.jsonl and qrels/"
QRELS_ENDINGS = (".tsv", ".txt", ".trec", ".tsv.gz", ".txt.gz", ".trec.gz")
USUAL_SPLITS = frozenset({"train", "dev", "validation", "valid", "val", "test"})
KINDS = ("complete", "pooled", "positives_only")


@dataclass(frozen=True)
class Beir:
    """A BEIR folder. Files may be gzipped; relative file names are looked for as given, then inside the folder."""

    path: str
    split: str = "test"
    qrels: str | None = None  # a judgement file instead of qrels/SPLIT; a judge sheet comes on top of it
    queries: str | None = None  # instead of queries.jsonl
    corpus: str | None = None  # instead of corpus.jsonl
    title: Literal["join", "none"] = "join"
    judgements: Judgements | None = None  # None = inferred, with a note
    spans: str | None = "auto"  # auto = spans.jsonl where there is one; None = none; else a file
    strict: bool = False
    name: str = ""  # "" = the folder's name

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()
    irrelevant: ClassVar[frozenset[str]] = frozenset({"path", "qrels", "queries", "corpus", "spans", "strict", "name"})

    def __post_init__(self) -> None:
        check_path(self.path, f"that holds {WANTED}")
        check_kind(self.judgements)
        if self.title not in {"join", "none"}:
            raise SettingError(f"dataset.title={self.title!r}; expected join or none")

    def load(self) -> Dataset:
        """The dataset; DataError names file and line of whatever cannot be used."""
        folder = existing_folder(self.path, WANTED)
        corpus_file = self._file(self.corpus, folder, "corpus.jsonl")
        documents, corpus_notes = read_corpus(corpus_file)
        queries_file = self._file(self.queries, folder, "queries.jsonl")
        queries, query_notes = read_queries(queries_file)
        judged = self._judged(folder)
        elsewhere = self._of_other_splits(folder, judged)
        kept = [query for query in queries if query.id not in elsewhere]
        spans_file = self._spans_file(folder)
        spans = read_spans(spans_file, {row.id: row.text for row in reversed(documents)}) if spans_file else []
        return assemble(
            Raw(
                self.name or folder.resolve().name,
                "",
                documents,
                kept,
                judged.judgements,
                [span for span in spans if span.query_id not in elsewhere],
                self.judgements,
                join_titles=self.title == "join",
                strict=self.strict,
                notes=(*corpus_notes, *query_notes, *judged.notes, *_left_out(queries, kept)),
                source=str(corpus_file),
                queries_source=str(queries_file),
                folder=str(folder),
            )
        )

    def _file(self, given: str | None, folder: Path, usual: str) -> Path:
        return named_file(given, folder) if given else existing_file(folder, [usual, f"{usual}.gz"])

    def _spans_file(self, folder: Path) -> Path | None:
        if self.spans != "auto":
            return named_file(self.spans, folder) if self.spans else None
        return next((folder / name for name in ("spans.jsonl", "spans.jsonl.gz") if (folder / name).is_file()), None)

    def _judged(self, folder: Path) -> JudgementFile:
        files = _splits(folder)
        given = read_judgements(named_file(self.qrels, folder)) if self.qrels else JudgementFile(())
        if self.split in files and self._adds(folder):
            there = read_judgements(files[self.split])
            return JudgementFile((*there.judgements, *given.judgements), (*there.notes, *given.notes))
        if self.qrels:
            return given
        if files:
            raise DataError(
                f"no judgements for split {self.split!r}; there are: {', '.join(sorted(files))}; "
                f"dataset.split={min(files)} takes one",
                path=folder / "qrels",
            )
        return JudgementFile((), (f"{folder}: no qrels/{self.split}.tsv, so nothing is judged",))

    def _adds(self, folder: Path) -> bool:
        """Whether what `qrels` names, if anything, comes on top of the judgements of the split."""
        return not self.qrels or is_sheet(named_file(self.qrels, folder))

    def _of_other_splits(self, folder: Path, judged: JudgementFile) -> set[str]:
        """Ids of queries that only other usual splits judge: BEIR keeps the queries of all splits in one file."""
        if not self._adds(folder):
            return set()
        others = [file for name, file in _splits(folder).items() if name in USUAL_SPLITS - {self.split}]
        there = {row.query_id for file in others for row in read_judgements(file).judgements}
        return there - {row.query_id for row in judged.judgements}


def check_path(path: str, what: str) -> None:
    """SettingError where no folder is given."""
    if not path.strip():
        raise SettingError(f"dataset.path is empty; dataset.path=FOLDER names the folder {what}")


def check_kind(judgements: str | None) -> None:
    """SettingError unless `judgements` is None or one of the three kinds."""
    if judgements is not None and judgements not in KINDS:
        raise SettingError(
            f"dataset.judgements={judgements!r}; expected one of {', '.join(KINDS)}, or null to infer it"
        )


def _splits(folder: Path) -> dict[str, Path]:
    """Split -> file of judgements, the plain file before the gzipped one."""
    if not (folder / "qrels").is_dir():
        return {}
    found: dict[str, Path] = {}
    for name in names_in(folder / "qrels"):
        ending = next((ending for ending in QRELS_ENDINGS if name.endswith(ending)), None)
        if ending:
            found.setdefault(name.removesuffix(ending), folder / "qrels" / name)
    return found


def _left_out(queries: list[RawQuery], kept: list[RawQuery]) -> list[str]:
    count = len(queries) - len(kept)
    return [f"{count:,} of {len(queries):,} queries left out: judged in other splits only"] if count else []
