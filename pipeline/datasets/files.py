"""A folder of .md, .txt, .html or .rst files, and a CSV of questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pipeline.datasets.assemble import assemble
from pipeline.datasets.beir import check_kind, check_path
from pipeline.datasets.documents import read_documents
from pipeline.datasets.judgement_files import JudgementFile, read_judgements
from pipeline.datasets.places import existing_folder, named_file
from pipeline.datasets.questions import read_questions
from pipeline.datasets.raw import Raw
from pipeline.errors import SettingError
from pipeline.records import Dataset, Judgements


@dataclass(frozen=True)
class Files:
    """Every fitting file below `path` is a document, its id the path below it; `queries` is the CSV of questions."""

    path: str
    queries: str
    qrels: str | None = None  # judgements besides those of the CSV: a filled-in judge.csv, or TREC or BEIR qrels
    pattern: str = "*.md *.txt *.html *.htm *.rst"  # file names, blanks between
    judgements: Judgements | None = None  # None = inferred, with a note
    strict: bool = False
    name: str = ""  # "" = the folder's name

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()
    irrelevant: ClassVar[frozenset[str]] = frozenset({"path", "queries", "qrels", "strict", "name"})

    def __post_init__(self) -> None:
        check_path(self.path, "of your documents")
        check_kind(self.judgements)
        if not self.queries.strip():
            raise SettingError("dataset.queries is empty; dataset.queries=questions.csv names the CSV of questions")
        if not self.pattern.split():
            raise SettingError("dataset.pattern is empty; expected file names such as '*.md *.txt'")

    def load(self) -> Dataset:
        """The dataset; DataError names file and line of whatever cannot be used."""
        folder = existing_folder(self.path, self.pattern)
        queries_file = named_file(self.queries, folder)
        qrels_file = named_file(self.qrels, folder) if self.qrels else None
        own = [queries_file, *([qrels_file] if qrels_file else [])]
        documents = read_documents(folder, self.pattern.split(), skip=own)
        questions = read_questions(queries_file, documents, folder)
        more = read_judgements(qrels_file) if qrels_file else JudgementFile(())
        judgements = (*questions.judgements, *more.judgements)
        unjudged = () if judgements else (f"{queries_file}: no judgements yet; a sweep writes judge.csv to fill in",)
        return assemble(
            Raw(
                self.name or folder.resolve().name,
                "",
                documents,
                questions.queries,
                judgements,
                questions.spans,
                self.judgements,
                join_titles=False,
                strict=self.strict,
                notes=(*more.notes, *unjudged),
                source=str(queries_file),
                folder=str(folder),
            )
        )
