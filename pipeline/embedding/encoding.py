"""Texts through one model in one role: counted, cut where asked for, batched by length, averaged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from pipeline.embedding.batches import batches, mean_by_owner, normalised, windows
from pipeline.embedding.layout import Layout
from pipeline.embedding.loading import LoadedModel, read_tokenizer
from pipeline.errors import ModelError, SettingError
from pipeline.records import Ints, Role, Vectors

# Without padding a batch costs nothing but its call.
STATIC_BATCH = 1024


@dataclass(frozen=True, eq=False)
class Counter:
    """Counts and places of a model's own tokens; special tokens are never counted."""

    tokenizer: Any
    static: bool

    def counts(self, texts: Sequence[str]) -> Ints:
        """Tokens of every text, uncut."""
        encoded = self.tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)
        return np.fromiter((len(one.ids) for one in encoded), dtype=np.int32, count=len(texts))

    def offsets(self, text: str) -> list[tuple[int, int]]:
        """Character offsets of every token of `text`."""
        return list(self.tokenizer.encode(text, add_special_tokens=False).offsets)

    @property
    def special(self) -> int:
        """Special tokens that the model adds to every text."""
        return 0 if self.static else int(self.tokenizer.num_special_tokens_to_add(False))

    def prefix(self, prefix: str) -> int:
        """Tokens that `prefix` takes in front of a word."""
        if not prefix:
            return 0
        with_prefix, without = self.counts([f"{prefix}a", "a"])
        return int(with_prefix - without)


class Reach(NamedTuple):
    """Tokens read at a time: of text alone, and in all (special tokens and prefix included). None = no limit."""

    text: int | None
    total: int | None


def counter(layout: Layout) -> Counter:
    """The token counter of a model; read once a process."""
    return _counter(layout.tokenizer, layout.tokenizer.stat().st_mtime_ns, layout.static)


@lru_cache(maxsize=4)
def _counter(tokenizer: Path, changed: int, static: bool) -> Counter:
    return Counter(read_tokenizer(Layout(tokenizer, static, None, None)), static)


def reach(layout: Layout, tokens: Counter, prefix: str, max_tokens: int | None) -> Reach:
    """What the model reads at a time with this prefix. SettingError where max_tokens is more than it can."""
    taken = tokens.special + tokens.prefix(prefix)
    if max_tokens is None:
        if layout.total is None:
            return Reach(None, None)
        if layout.total <= taken:
            raise ModelError(f"the prefix {prefix!r} leaves no room: the model reads {layout.total} tokens at a time")
        return Reach(layout.total - taken, layout.total)
    if layout.positions is not None and max_tokens + taken > layout.positions:
        raise SettingError(
            f"embedding.max_tokens={max_tokens}: the model has {layout.positions} positions and {taken} are taken by "
            f"special tokens and prefix; at most {layout.positions - taken}"
        )
    return Reach(max_tokens, max_tokens + taken)


@dataclass(frozen=True, eq=False)
class Encoder:
    """One model in one role under one set of settings."""

    model: LoadedModel
    tokens: Counter
    role: Role
    prefix: str
    reach: Reach
    long_text: Literal["truncate", "window_mean", "error"]
    batch_size: int
    name: str

    def lengths(self, texts: Sequence[str]) -> Ints:
        """What to sort and cut by: tokens, or characters where nothing depends on tokens."""
        if self.reach.text is None and self.tokens.static:
            return np.fromiter((len(text) for text in texts), dtype=np.int32, count=len(texts))
        return self.tokens.counts(texts)

    def refuse_long(self, lengths: Ints) -> None:
        """ModelError if `long_text=error` and some texts are longer than the model reads."""
        limit = self.reach.text
        if self.long_text != "error" or limit is None or not (lengths > limit).any():
            return
        raise ModelError(
            f"{int((lengths > limit).sum())} of {len(lengths)} distinct {self.role} texts are longer than the {limit} "
            f"tokens that {self.name} reads (longest: {int(lengths.max())}); make chunk_size smaller or set "
            "embedding.long_text=truncate or window_mean"
        )

    def vectors(self, texts: Sequence[str], lengths: Ints, finished: Callable[[Ints], None]) -> Vectors:
        """float32 (texts, dim), unit rows; `finished` is told the positions of texts as they are done."""
        pieces, owners, weights = self._pieces(texts, lengths)
        left = np.bincount(owners, minlength=len(texts))
        padded = np.minimum(weights, self.reach.text or weights) + self.tokens.special
        out: list[tuple[Ints, Vectors]] = []
        for batch in self._batches(padded):
            rows = self.model.vectors([pieces[at] for at in batch], self.role, self.prefix, self.reach.total)
            out.append((batch, normalised(rows)))
            left -= np.bincount(owners[batch], minlength=len(texts))
            touched = np.unique(owners[batch])
            finished(touched[left[touched] == 0].astype(np.int32))
        order = np.concatenate([batch for batch, _ in out])
        whole = np.empty((len(pieces), out[0][1].shape[1]), dtype=np.float32)
        whole[order] = np.concatenate([rows for _, rows in out])
        if len(pieces) == len(texts):
            return whole
        return normalised(mean_by_owner(whole, owners, weights, len(texts)))

    def _batches(self, lengths: Ints) -> list[Ints]:
        if self.tokens.static:
            return batches(lengths, STATIC_BATCH, most_tokens=2**62)
        return batches(lengths, self.batch_size)

    def _pieces(self, texts: Sequence[str], lengths: Ints) -> tuple[list[str], Ints, Ints]:
        """(pieces, text of every piece, tokens of every piece): windows under window_mean, else the texts."""
        limit = self.reach.text
        if self.long_text != "window_mean" or limit is None:
            return list(texts), np.arange(len(texts), dtype=np.int32), lengths
        pieces: list[str] = []
        owners: list[int] = []
        weights: list[int] = []
        for at, (text, length) in enumerate(zip(texts, lengths, strict=True)):
            if length <= limit:
                cut = [(text, int(length))]
            else:
                starts, ends = zip(*self.tokens.offsets(text), strict=True)
                cut = [(text[w.start : w.end], w.tokens) for w in windows(text, starts, ends, limit)]
            pieces += [piece for piece, _ in cut]
            weights += [tokens for _, tokens in cut]
            owners += [at] * len(cut)
        return pieces, np.asarray(owners, dtype=np.int32), np.asarray(weights, dtype=np.int32)
