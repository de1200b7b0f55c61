"""What a retriever is made of, for tables and names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.protocols import Embedder, External, Retriever
from pipeline.records import Scalar
from pipeline.storage.fingerprint import relevant_fields


def parts_of(retriever: Retriever | External) -> dict[str, dict[str, Any]]:
    """The plain relevant fields of every component below the retriever, by the word people know it by."""
    if isinstance(retriever, External):
        return {retriever.kind: relevant_fields(retriever)}
    found: dict[str, dict[str, Any]] = {}
    for leg in retriever.legs:
        found[str(getattr(leg, "kind", type(leg).__name__.lower()))] = relevant_fields(leg)
        if leg.embedder is not None:
            found["embedding"] = {**relevant_fields(leg.embedder), **leg.embedder.settings()}
    fusion = getattr(retriever, "fusion", None)
    if fusion is not None:
        found["fusion"] = {"method": type(fusion).__name__, **relevant_fields(fusion)}
    return found


def embedder_of(retriever: Retriever | External) -> Embedder | None:
    """The model of the first leg that has one."""
    if isinstance(retriever, External):
        return None
    return next((leg.embedder for leg in retriever.legs if leg.embedder is not None), None)


def label(settings: Mapping[str, Scalar]) -> str:
    """`hybrid-minilm-512`: the three choices this project is about, without those that have no part."""
    return "-".join(
        str(settings[name]) for name in ("retriever", "embedding", "chunk_size") if settings[name] != "none"
    )
