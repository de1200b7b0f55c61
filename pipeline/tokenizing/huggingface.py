"""Subword tokenizers in the `tokenizer.json` format."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from pipeline.errors import ModelError, SettingError
from pipeline.records import Ints, TokenOffsets
from pipeline.tokenizing.names import locate
from pipeline.tokenizing.offsets import SURROGATES, assemble, batches, clean


@dataclass(frozen=True)
class HuggingFaceTokenizer:
    """The tokenizer behind a short name or a path, with its built-in truncation and padding off.

    Threads: as TOKENIZERS_PARALLELISM says.
    """

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("tokenizers",)

    name: str = "minilm"  # a name of `pipeline.tokenizing.names`, or the path of a tokenizer.json or its folder

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise SettingError(f"tokenizer: expected a name or a path, got {self.name!r}")
        locate(self.name)

    def content(self) -> str:
        """SHA-256 (hex) of the tokenizer file."""
        return _opened(self.name).digest

    def offsets(self, texts: Sequence[str]) -> TokenOffsets:
        """Offsets of every token, as characters of the texts as given; starts never fall within one text.

        - Tokens of no width are left out; special tokens are not added.
        - A start moves over leading blanks (`▁word`); a token of blanks alone stays.
        - A start never lies within a cluster (`chunking.characters.inside_clusters`): it moves back to the cluster's
          start. So several tokens may begin at one character; each still counts.
        - A text of more than 2^20 characters is encoded in pieces cut at line ends; a tokenizer whose words reach
          over line ends may give one token more or less at each such cut.
        - A lone surrogate, which no tokenizer can encode, counts as U+FFFD.
        """
        engine = _opened(self.name).engine
        spans: list[Ints] = []
        counts = np.zeros(len(texts), dtype=np.int64)
        for batch in batches(texts):
            parts = [_encodable(texts[number][start:end]) for number, start, end in batch]
            encodings = engine.encode_batch(parts, add_special_tokens=False)
            for (number, start, _), part, encoding in zip(batch, parts, encodings, strict=True):
                found = clean(part, _pairs(encoding.offsets))
                counts[number] += len(found)
                spans.append(found + np.int32(start))
        return assemble(spans, counts)


@dataclass(frozen=True, eq=False)
class _Opened:
    """A tokenizer file as it was read."""

    digest: str
    engine: Any


def _opened(name: str) -> _Opened:
    path = locate(name)
    state = path.stat()
    return _read(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=8)
def _read(path: Path, size: int, modified: int) -> _Opened:
    """The tokenizer at `path`; `size` and `modified` make a changed file another entry."""
    from tokenizers import Tokenizer

    content = path.read_bytes()
    try:
        model = json.loads(content).get("model")
    except (ValueError, AttributeError):
        model = None
    if not isinstance(model, dict):
        raise ModelError(f"tokenizer {path}: not a tokenizer.json (JSON with a 'model'); fetch or save the file again")
    engine = Tokenizer.from_buffer(content)
    engine.no_truncation()
    engine.no_padding()
    return _Opened(hashlib.sha256(content).hexdigest(), engine)


def _pairs(offsets: Sequence[tuple[int, int]]) -> Ints:
    """int32 (tokens, 2)."""
    return np.fromiter(chain.from_iterable(offsets), dtype=np.int32, count=2 * len(offsets)).reshape(-1, 2)


def _encodable(text: str) -> str:
    """The text with lone surrogates replaced, one character for one."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.translate(SURROGATES)
    return text
