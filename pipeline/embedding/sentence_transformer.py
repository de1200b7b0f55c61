"""Any sentence-transformers model as an embedder: packaged, from a folder, or from the hub."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from pipeline.embedding import families
from pipeline.embedding.batches import Distinct, distinct, encodable, longest_first
from pipeline.embedding.content import content_of
from pipeline.embedding.encoding import Encoder, counter, reach
from pipeline.embedding.layout import Layout, read_layout
from pipeline.embedding.loading import Loading, loaded
from pipeline.embedding.locate import Place, locate
from pipeline.embedding.models import kind_of, public_name, short_name
from pipeline.embedding.store import Found, VectorStore, text_hashes
from pipeline.embedding.trust import refuse_foreign_code
from pipeline.errors import ModelError, SettingError
from pipeline.protocols import Progress
from pipeline.records import Ints, Reading, Role, Scalar, Vectors
from pipeline.storage.fingerprint import fingerprint, library_version

# Texts between two writes to the store: what Ctrl-C can cost.
FLUSH = 2048
CHOICES = {
    "dtype": ("float32", "bfloat16"),
    "long_text": ("truncate", "window_mean", "error"),
    "offline": ("auto", "always", "never"),
}


class Described(NamedTuple):
    """A model that is here, before it is loaded."""

    place: Place
    layout: Layout
    prefixes: families.Prefixes
    digest: str  # of its files


@dataclass(frozen=True)
class SentenceTransformerEmbedder:
    """Unit vectors of a sentence-transformers model. Rules in docs/embedding.md.

    Vectors do not depend on the batch they were computed in beyond 1e-6 (float32; bfloat16: 1e-2 of a component).
    A text in which a static model finds no token gets the zero vector: its similarity with everything is 0.
    """

    model: str = "minilm"  # short name, ./folder, or organisation/name[@revision]
    dtype: Literal["float32", "bfloat16"] = "float32"
    batch_size: int = 32  # texts, at most
    long_text: Literal["truncate", "window_mean", "error"] = "truncate"
    query_prefix: str = "auto"  # auto | none | the text itself
    document_prefix: str = "auto"  # auto | none | the text itself
    max_tokens: int | None = (
        None  # tokens of text read at a time, special tokens and prefix not counted; None = model's own
    )
    device: str = "cpu"  # cpu | auto | a torch device
    offline: Literal["auto", "always", "never"] = "auto"
    trust_remote_code: bool = False
    cache_dir: str | None = None  # where vectors are kept per text; None = nowhere

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("sentence-transformers", "transformers", "torch", "tokenizers")
    # content() stands for the model: a path has no place in a key, and two names of the same files are one model.
    irrelevant: ClassVar[frozenset[str]] = frozenset(
        {"model", "batch_size", "offline", "trust_remote_code", "cache_dir"}
    )

    def __post_init__(self) -> None:
        """SettingError for a value that cannot be used, before any file is looked at."""
        kind_of(self.model)
        for field, choices in CHOICES.items():
            if getattr(self, field) not in choices:
                raise SettingError(
                    f"embedding.{field} must be one of {', '.join(choices)}; got {getattr(self, field)!r}"
                )
        for field, value in (("batch_size", self.batch_size), ("max_tokens", self.max_tokens)):
            if value is None and field == "max_tokens":
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise SettingError(f"embedding.{field} must be a whole number of at least 1; got {value!r}")
        for field in ("query_prefix", "document_prefix"):
            if not isinstance(getattr(self, field), str):
                raise SettingError(f"embedding.{field} must be auto, none or a text; got {getattr(self, field)!r}")

    @property
    def name(self) -> str:
        """Short name for tables."""
        return short_name(self.model)

    def content(self) -> str:
        """SHA-256 over the files that shape the output, the dimensions kept and the prefixes in use."""
        model = self.described()
        return fingerprint(model.digest, model.prefixes.query, model.prefixes.document)

    def check(self) -> None:
        """ModelError in one line if the model cannot be had here; nothing is loaded or downloaded whole."""
        place = self._place(fetch=False)
        if place is not None:
            layout = self._layout(place)
            reach(layout, counter(layout), self._prefixes(layout).document, self.max_tokens)

    def notes(self) -> tuple[str, ...]:
        """What a person should know before trusting the vectors: prefixes that are missing."""
        note = self.described().prefixes.note
        return (note,) if note else ()

    def settings(self) -> Mapping[str, Scalar]:
        """What was really used: prefixes, where they come from, tokens of text read at a time (absent = no limit)."""
        model = self.described()
        limit = reach(model.layout, counter(model.layout), model.prefixes.document, self.max_tokens).text
        used: dict[str, Scalar] = {
            "model": self.model,
            "dtype": self.dtype,
            "query_prefix": model.prefixes.query,
            "document_prefix": model.prefixes.document,
            "prefix_source": model.prefixes.source,
            "digest": model.digest,
        }
        return used if limit is None else {**used, "limit": limit}

    def encode(self, texts: Sequence[str], role: Role, progress: Progress) -> Vectors:
        """float32 (texts, dim), unit rows, finite; equal texts get equal vectors; `progress` adds up to len(texts).

        ModelError if the model cannot be had, a vector is not finite, or `long_text=error` and a text is too long.
        """
        model = self.described()
        asked = distinct(texts if len(texts) else [""])
        hashes = text_hashes(asked.texts)
        store = self._store(model, role)
        found = store.find(hashes) if store else Found(np.zeros(len(hashes), dtype=bool), np.zeros((0, 0), np.float32))
        if len(texts):
            progress.advance(int(asked.counts[found.known].sum()))
        vectors = found.vectors
        missing = np.flatnonzero(~found.known).astype(np.int32)
        for places, rows in self._fresh(model, role, asked, missing, progress if len(texts) else None):
            if vectors.shape[1] != rows.shape[1]:
                vectors = np.zeros((len(hashes), rows.shape[1]), dtype=np.float32)
            vectors[places] = rows
            if store:
                store.add(hashes[places], rows)
        return vectors[asked.places][: len(texts)]

    def encode_fresh(self, text: str) -> Vectors:
        """float32 (1, dim): one query encoded as a user waits for it; the store is not asked."""
        encoder = _probed(self)
        one = [encodable(text)]
        lengths = encoder.lengths(one)
        encoder.refuse_long(lengths)
        return encoder.vectors(one, lengths, finished=lambda _: None)

    def reading(self, texts: Sequence[str]) -> Reading:
        """How much of these document texts is read, in the model's own tokens without special ones and prefix."""
        layout = self._layout(self._here())
        tokens = counter(layout)
        limit = reach(layout, tokens, self._prefixes(layout).document, self.max_tokens).text
        asked = distinct(texts)
        counts = tokens.counts(asked.texts).astype(np.int64)
        read = counts if limit is None or self.long_text != "truncate" else np.minimum(counts, limit)
        return Reading(read=int(read @ asked.counts), total=int(counts @ asked.counts), limit=limit)

    def _fresh(
        self, model: Described, role: Role, asked: Distinct, missing: Ints, progress: Progress | None
    ) -> Iterator[tuple[Ints, Vectors]]:
        """(positions in asked.texts, their vectors), at most FLUSH at a time, longest texts first."""
        if not len(missing):
            return
        encoder = self.encoder(model, role)
        lengths = encoder.lengths([asked.texts[at] for at in missing])
        encoder.refuse_long(lengths)
        order = longest_first(lengths)
        for start in range(0, len(order), FLUSH):
            group = order[start : start + FLUSH]
            places = missing[group]

            def finished(done: Ints, places: Ints = places) -> None:
                if progress is not None:
                    progress.advance(int(asked.counts[places[done]].sum()))

            rows = encoder.vectors([asked.texts[at] for at in places], lengths[group], finished)
            self._refuse_not_finite(rows, places, asked)
            yield places, rows

    def _refuse_not_finite(self, rows: Vectors, places: Ints, asked: Distinct) -> None:
        bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        if len(bad):
            first = int(np.flatnonzero(np.isin(asked.places, places[bad]))[0])
            raise ModelError(
                f"{self.name}: the vector of text {first} is not finite ({len(bad)} such texts); "
                "try embedding.dtype=float32, or download the model again"
            )

    def encoder(self, model: Described, role: Role) -> Encoder:
        """The loaded model under these settings in this role."""
        tokens = counter(model.layout)
        prefix = model.prefixes.query if role == "query" else model.prefixes.document
        wanted = Loading(
            model.place, model.layout.static, self.dtype, self.device, self.trust_remote_code, model.digest
        )
        return Encoder(
            model=loaded(wanted, self.name),
            tokens=tokens,
            role=role,
            prefix=prefix,
            reach=reach(model.layout, tokens, prefix, self.max_tokens),
            long_text=self.long_text,
            batch_size=self.batch_size,
            name=self.name,
        )

    def _store(self, model: Described, role: Role) -> VectorStore | None:
        if self.cache_dir is None:
            return None
        identity = self._identity(model, role)
        return VectorStore(Path(self.cache_dir).expanduser() / identity[:24] / role, identity)

    def _identity(self, model: Described, role: Role) -> str:
        """SHA-256 over all that shapes a vector in this role.

        Of library versions major and minor count: a patch release does not justify embedding everything again.
        """
        versions = {name: ".".join(library_version(name).split(".")[:2]) for name in self.libraries}
        prefix = model.prefixes.query if role == "query" else model.prefixes.document
        reads = (self.dtype, self.long_text, self.max_tokens, self.device)
        return fingerprint(type(self).__name__, self.VERSION, model.digest, role, prefix, reads, versions)

    def described(self) -> Described:
        """Where the model lies and what its files say; fetches a model that is not here."""
        place = self._here()
        layout = self._layout(place)
        memory = None if self.cache_dir is None else Path(self.cache_dir).expanduser() / "digests"
        return Described(place, layout, self._prefixes(layout), content_of(place, memory))

    def _here(self) -> Place:
        place = self._place(fetch=True)
        if place is None:
            raise ModelError(f"the model {self.model!r} could not be fetched; run the same command again")
        return place

    def _place(self, *, fetch: bool) -> Place | None:
        cache = None if self.cache_dir is None else Path(self.cache_dir).expanduser()
        return locate(self.model, offline=self.offline, cache=cache, trust=self.trust_remote_code, fetch=fetch)

    def _layout(self, place: Place) -> Layout:
        if place.form == "static":
            return Layout(tokenizer=place.tokenizer, static=True, total=None, positions=None)
        if not self.trust_remote_code:
            refuse_foreign_code(place.folder, self.name)
        return read_layout(place.folder)

    def _prefixes(self, layout: Layout) -> families.Prefixes:
        return families.resolve(layout, public_name(self.model), self.query_prefix, self.document_prefix)


@lru_cache(maxsize=1)
def _probed(embedder: SentenceTransformerEmbedder) -> Encoder:
    # A latency probe must time the model, not the look at its files before it.
    return embedder.encoder(embedder.described(), "query")
