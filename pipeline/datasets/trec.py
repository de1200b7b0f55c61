"""A collection, topics and qrels in three files, as TREC participants keep them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pipeline.datasets.assemble import assemble
from pipeline.datasets.beir import check_kind, check_path
from pipeline.datasets.judgement_files import JudgementFile, read_judgements
from pipeline.datasets.places import existing_folder, named_file
from pipeline.datasets.raw import Raw
from pipeline.datasets.trec_collection import read_collection, read_topics
from pipeline.errors import SettingError
from pipeline.records import Dataset, Judgements


@dataclass(frozen=True)
class Trec:
    """Three files, each as given or inside the folder `path`; any of them may be gzipped."""

    path: str
    corpus: str  # JSON lines with id and contents, or tabs
    topics: str  # <top> … </top>, or tabs
    qrels: str | None = None  # query 0 document grade; None = no judgements
    judgements: Judgements | None = None  # None = inferred, with a note
    strict: bool = False
    name: str = ""  # "" = the folder's name

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()
    irrelevant: ClassVar[frozenset[str]] = frozenset({"path", "corpus", "topics", "qrels", "strict", "name"})

    def __post_init__(self) -> None:
        check_path(self.path, "that holds the collection, the topics and the qrels")
        check_kind(self.judgements)
        for setting in ("corpus", "topics"):
            if not getattr(self, setting).strip():
                raise SettingError(f"dataset.{setting} is empty; dataset.{setting}=FILE names the file")

    def load(self) -> Dataset:
        """The dataset; DataError names file and line of whatever cannot be used."""
        folder = existing_folder(self.path, f"{self.corpus} and {self.topics}")
        corpus_file, topics_file = named_file(self.corpus, folder), named_file(self.topics, folder)
        judged = self._judged(folder)
        return assemble(
            Raw(
                self.name or folder.resolve().name,
                "",
                read_collection(corpus_file),
                read_topics(topics_file),
                judged.judgements,
                judgements_kind=self.judgements,
                strict=self.strict,
                notes=judged.notes,
                source=str(corpus_file),
                queries_source=str(topics_file),
                folder=str(folder),
            )
        )

    def _judged(self, folder: Path) -> JudgementFile:
        if self.qrels:
            return read_judgements(named_file(self.qrels, folder))
        return JudgementFile((), (f"{folder}: no dataset.qrels given, so nothing is judged",))
