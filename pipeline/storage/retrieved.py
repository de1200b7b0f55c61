"""A `Retrieved` record to and from a cache entry."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from numpy.typing import NDArray

from pipeline.records import Context, Floats, Retrieved, Run, Unit
from pipeline.storage.arrays import load_array, load_meta, save_arrays


def save_retrieved(value: Retrieved, folder: Path) -> bool:
    """Writes `value` below `folder`; always True."""
    arrays: dict[str, NDArray[Any]] = {
        "chunk_items": value.chunks.items,
        "chunk_scores": value.chunks.scores,
        "document_items": value.documents.items,
        "document_scores": value.documents.scores,
        "context_doc": value.context.doc,
        "context_start": value.context.start,
        "context_end": value.context.end,
        "latency_ms": value.latency_ms,
    }
    meta = {
        "unit": value.chunks.unit,
        "foreign": value.documents.foreign,
        "facts": dict(value.facts),
        "machine": dict(value.machine),
    }
    return save_arrays(folder, arrays, meta)


def load_retrieved(folder: Path) -> Retrieved:
    """What `save_retrieved` wrote."""
    meta = load_meta(folder)
    foreign = tuple(meta["foreign"])
    unit = cast(Unit, meta["unit"])
    return Retrieved(
        chunks=Run(
            unit,
            load_array(folder, "chunk_items"),
            load_array(folder, "chunk_scores"),
            foreign if unit == "document" else (),
        ),
        documents=Run("document", load_array(folder, "document_items"), load_array(folder, "document_scores"), foreign),
        context=Context(*(load_array(folder, f"context_{part}") for part in ("doc", "start", "end"))),
        latency_ms=cast(Floats, load_array(folder, "latency_ms")),
        facts=meta["facts"],
        machine=meta["machine"],
    )
