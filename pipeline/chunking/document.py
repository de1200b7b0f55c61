"""Documents as they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pipeline.chunking.borders import check_fit
from pipeline.chunking.limits import check_limits
from pipeline.protocols import Tokenizer
from pipeline.records import Chunks, Prefix, TokenOffsets


@dataclass(frozen=True)
class WholeDocument:
    """One chunk a document. Size and overlap change nothing, so all sizes of a sweep are twins."""

    VERSION: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ()
    irrelevant: ClassVar[frozenset[str]] = frozenset({"size", "overlap"})

    size: int  # tokens, not used
    overlap: int  # tokens, not used
    tokenizer: Tokenizer  # counts the tokens

    def __post_init__(self) -> None:
        check_limits(self.size, self.overlap, self.tokenizer)

    @property
    def prefix(self) -> Prefix:
        """None: the title stands in the document itself (`dataset.title=join`)."""
        return "none"

    def cut(self, texts: Sequence[str], tokens: TokenOffsets) -> Chunks:
        """Every document that is not blank, whole."""
        check_fit(texts, tokens)
        doc = np.array([d for d, text in enumerate(texts) if text and not text.isspace()], dtype=np.int32)
        lengths = np.array([len(texts[d]) for d in doc.tolist()], dtype=np.int32)
        counts = np.diff(tokens.indptr).astype(np.int32)
        return Chunks(doc=doc, start=np.zeros(len(doc), dtype=np.int32), end=lengths, tokens=counts[doc])
