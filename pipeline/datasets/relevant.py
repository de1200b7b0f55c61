"""What a cell `relevant` means: a document by path or id, or a passage quoted from one."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pipeline.datasets.passages import Passages, Place
from pipeline.datasets.raw import RawDocument
from pipeline.errors import DataError

MOST_PLACES = 20  # a passage found more often says too little
SHOWN = 60  # characters of a passage in a message
PATH_LIKE = re.compile(r"\S*[/\\]\S*|\S+\.[A-Za-z]{2,5}")


class Found(NamedTuple):
    """The documents that a cell names; with their places where it quotes a passage, else without."""

    documents: tuple[str, ...]
    places: tuple[Place, ...] = ()


class RelevantCells:
    """Looks cells up among the documents of one folder."""

    def __init__(self, documents: Sequence[RawDocument], folder: Path) -> None:
        self._ids = {document.id: None for document in documents}
        self._by_name: dict[str, list[str]] = {}
        for name in self._ids:
            self._by_name.setdefault(name.rsplit("/", 1)[-1], []).append(name)
        self._folder = folder
        self._passages = Passages(documents)

    def find(self, cell: str, where: str) -> Found:
        """What the cell names.

        Tried in this order: a document id or path, a file name that only one folder has, a passage.

        Raises:
            DataError: nothing fits, a file name fits several documents, or a passage stands in too many places.
        """
        name = self._as_id(cell)
        if name in self._ids:
            return Found((name,))
        same = self._by_name.get(name, [])
        if len(same) == 1:
            return Found((same[0],))
        if same:
            raise DataError(f"{where}: {cell!r} names {len(same)} documents: {', '.join(same[:3])}; write the path")
        if PATH_LIKE.fullmatch(cell):
            raise DataError(f"{where}: no document {cell!r}{self._near(name)}; write its path below {self._folder}")
        return self._passage(cell, where)

    def _as_id(self, cell: str) -> str:
        """The cell as a path below the folder, however it is written."""
        name = unicodedata.normalize("NFC", cell)
        slashed = name.replace("\\", "/").removeprefix("./")
        starts = (self._folder.resolve().as_posix(), self._folder.as_posix(), self._folder.name)
        below = [slashed.removeprefix(f"{start}/") for start in starts]
        return next((each for each in (name, slashed, *below) if each in self._ids), slashed)

    def _near(self, name: str) -> str:
        near = difflib.get_close_matches(name, self._ids, n=1)
        return f"; did you mean {near[0]!r}?" if near else ""

    def _passage(self, cell: str, where: str) -> Found:
        places = self._passages.find(cell)
        if len(places) > MOST_PLACES:
            raise DataError(f"{where}: passage found in {len(places):,} places; quote more of it: {_shown(cell)}")
        if places:
            return Found(tuple(sorted({place.doc_id for place in places})), tuple(places))
        nearest = self._passages.nearest(cell)
        hint = (
            "not even its first word stands in one; relevant is a path, a document id or a passage, one a row"
            if nearest is None
            else f"nearest: {nearest.doc_id} has its first {nearest.words} words"
        )
        raise DataError(f"{where}: passage not found in any document: {_shown(cell)}; {hint}")


def _shown(passage: str) -> str:
    text = " ".join(passage.split())
    return f'"{text}"' if len(text) <= SHOWN else f'"{text[:SHOWN]}…"'
