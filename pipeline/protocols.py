"""The roles, on one page. A component is a frozen dataclass: its fields are its settings and its identity.

`VERSION` of a component goes into the cache key with its fields: raise it when the same settings give other output.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar, runtime_checkable

from pipeline.records import (
    Chunks,
    Context,
    Dataset,
    Dates,
    Ints,
    Longs,
    Prefix,
    Reading,
    Role,
    Run,
    Scalar,
    Stop,
    TokenOffsets,
    Vectors,
)

Value = TypeVar("Value")


@runtime_checkable
class Component(Protocol):
    """Anything with settings. `libraries` names the distributions whose version shapes the output."""

    VERSION: ClassVar[int]
    libraries: ClassVar[tuple[str, ...]]


class DatasetSource(Component, Protocol):
    """Where a dataset comes from."""

    def load(self) -> Dataset:
        """The dataset, checked and aligned. DataError names file and line."""
        ...


class Tokenizer(Component, Protocol):
    """Texts in, token offsets out; nothing is ever truncated or padded."""

    def content(self) -> str:
        """SHA-256 of the vocabulary in use: part of the key."""
        ...

    def offsets(self, texts: Sequence[str]) -> TokenOffsets:
        """Character offsets of every token of every text, in text order; tokens of no width are left out."""
        ...


class Chunker(Component, Protocol):
    """Cuts documents into chunks."""

    size: int
    overlap: int
    tokenizer: Tokenizer

    @property
    def prefix(self) -> Prefix:
        """What `chunking.cut` puts before each chunk; `cut` itself cuts without."""
        ...

    def cut(self, texts: Sequence[str], tokens: TokenOffsets) -> Chunks:
        """Chunks of every text, without prefixes; `tokens` are the offsets in the chunker's tokenizer."""
        ...


class Assembler(Component, Protocol):
    """What of the documents goes into the prompt for a ranking of chunks."""

    @property
    def kind(self) -> str:
        """`chunk`, `window:1`, `section:1024`: the word in names and tables; equal words mean equal settings."""
        ...

    def assemble(self, run: Run, chunks: Chunks, texts: Sequence[str], tokens: TokenOffsets) -> Context:
        """The context of every query, in rank order; `tokens` are the offsets in the tokenizer that counts budgets."""
        ...


class Embedder(Component, Protocol):
    """Texts in, unit vectors out."""

    @property
    def name(self) -> str:
        """Short name for tables: `minilm`, `bge-m3`."""
        ...

    def content(self) -> str:
        """SHA-256 over the weights and tokenizer files: part of the key. Cheap after the first call."""
        ...

    def check(self) -> None:
        """ModelError in one line if the model cannot be had here; loads nothing heavy."""
        ...

    def settings(self) -> Mapping[str, Scalar]:
        """What was really used, for tables and tracking: model, prefixes, limit."""
        ...

    def notes(self) -> tuple[str, ...]:
        """What a person should know before trusting the vectors."""
        ...

    def encode(self, texts: Sequence[str], role: Role, progress: Progress) -> Vectors:
        """float32 (texts, dim), rows of unit length, finite; equal texts get equal vectors."""
        ...

    def encode_fresh(self, text: str) -> Vectors:
        """float32 (1, dim): one query encoded as a user waits for it, nothing remembered."""
        ...

    def reading(self, texts: Sequence[str]) -> Reading:
        """How much of these texts the model reads under its settings."""
        ...


class Leg(Component, Protocol):
    """One retriever that ranks chunks by itself; a hybrid has several. Indexing and encoding are cached apart."""

    @property
    def embedder(self) -> Embedder | None:
        """The model that turns texts into vectors first; None = works on the words themselves."""
        ...

    def index_parts(self) -> Mapping[str, Any]:
        """The settings (and components) that shape the index: its part of the key."""
        ...

    def index(self, texts: Sequence[str], vectors: Vectors | None) -> Any:
        """The index over these chunk texts, or their vectors where there is an embedder."""
        ...

    def save(self, index: Any, folder: Path) -> bool:
        """Writes the index below `folder` without pickle; False = cheaper to rebuild than to keep."""
        ...

    def load(self, folder: Path) -> Any:
        """What `save` wrote."""
        ...

    def nbytes(self, index: Any) -> int:
        """Bytes that a production system would hold in memory for this index."""
        ...

    def search(self, index: Any, queries: Sequence[str], vectors: Vectors | None, stop: Stop) -> Run:
        """Chunk rankings (unit "chunk") in the order of `ranking.rank_chunks`.

        Each ends exactly at the chunk that brings in the `stop.depth`-th document, or where matches end.
        """
        ...


@runtime_checkable
class External(Component, Protocol):
    """Rankings made elsewhere: a TREC run of a production system."""

    @property
    def kind(self) -> str:
        """`run_file`: the word in names and tables."""
        ...

    def content(self) -> str:
        """SHA-256 of the run file: part of the key."""
        ...

    def documents(self, dataset: Dataset, depth: int) -> Run:
        """The document rankings (unit "document"), at most `depth` long."""
        ...


class Retriever(Component, Protocol):
    """One or several legs and how their rankings become one."""

    @property
    def kind(self) -> str:
        """`bm25`, `dense`, `hybrid`, `run_file`: the word in names and tables."""
        ...

    @property
    def legs(self) -> tuple[Leg, ...]:
        """What is searched, at least one."""
        ...

    def fuse(self, runs: Sequence[Run], doc: Ints) -> Run:
        """One chunk ranking from the legs' rankings, in the order of `legs`; `doc` is each chunk's document."""
        ...


class Fusion(Component, Protocol):
    """How several chunk rankings of the same queries become one; nothing deepens a fused list."""

    def check(self, legs: int) -> None:
        """SettingError if this fusion cannot take that many rankings."""
        ...

    def fuse(self, runs: Sequence[Run], doc: Ints) -> Run:
        """One chunk ranking over all chunks that some run holds; `doc` is each chunk's document."""
        ...


class Reranker(Component, Protocol):
    """What happens to a ranking once it stands: newer documents first."""

    @property
    def kind(self) -> str:
        """Its settings as one word for names and tables: `0.2-30d`."""
        ...

    def chunks(self, run: Run, doc: Ints, dates: Dates, as_of: Dates) -> Run:
        """The chunk ranking anew; `dates` of the documents, `as_of` the day of each query, NaT = not known."""
        ...

    def documents(self, run: Run, dates: Dates, as_of: Dates) -> Run:
        """The document ranking anew, where there are no chunks."""
        ...

    def excluded(self, run: Run, dates: Dates, as_of: Dates) -> Longs:
        """How many documents of each query leave the document ranking, as they are of a later day."""
        ...


class Progress(Protocol):
    """A long stage that moves on."""

    def advance(self, amount: int) -> None:
        """`amount` more of the announced total is done."""
        ...


class Reporter(Protocol):
    """What a person sees while an experiment runs."""

    def stage(self, label: str, total: int) -> AbstractContextManager[Progress]:
        """A long stage with `total` units of work."""
        ...

    def note(self, text: str) -> None:
        """One line that a person can act on."""
        ...


class Clock(Protocol):
    """Time, so that tests can hold it still."""

    def now(self) -> str:
        """ISO 8601, UTC, to the second."""
        ...

    def seconds(self) -> float:
        """A monotonic reading."""
        ...


class Stages(Protocol):
    """The one cache: memory, then verified disk, then compute."""

    def get(
        self,
        key: str,
        compute: Callable[[], Value],
        save: Callable[[Value, Path], bool] | None = None,
        load: Callable[[Path], Value] | None = None,
    ) -> Value:
        """The value under `key`; without `save` and `load` it is kept in memory alone."""
        ...

    def has(self, key: str) -> bool:
        """Whether `get` would find it."""
        ...
