"""New lines of growing files: each is read once, a half-written last line waits for its end."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from pipeline.errors import DataError, EnvironmentFault
from pipeline.storage.text_lines import GZIP_MAGIC

STDIN = "-"
TAIL = 64  # bytes before a position that tell whether the file is still the same
BLOCK = 4 << 20  # bytes read and stored at a time
_LIMIT = 64 << 20  # bytes of one line


@dataclass(frozen=True)
class Position:
    """How far a file was read."""

    source: str
    offset: int  # bytes
    line: int  # lines before it
    tail: str  # SHA-256 of the bytes just before it


@dataclass(frozen=True)
class Piece:
    """Whole lines of one file, and where they end."""

    lines: tuple[tuple[int, bytes], ...]  # line number, bytes without the end
    before: Position
    after: Position


def files_of(paths: Sequence[str]) -> list[Path]:
    """The files that are meant, folders by their .jsonl files in order of their names."""
    found: list[Path] = []
    for text in paths:
        path = Path(text).expanduser()
        if path.is_dir():
            inside = sorted(one for one in path.iterdir() if one.suffix == ".jsonl" and one.is_file())
            if not inside:
                raise DataError("holds no .jsonl file", path=path)
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            raise DataError("no such file or folder; expected answers in JSONL", path=path)
    return found


def pieces(path: Path, known: Position | None, end: int | None = None) -> Iterator[Piece]:
    """What is new in a file after `known`, a block of whole lines at a time, up to the byte `end` of a line.

    A file that is shorter than before, or whose bytes before the position changed, is read from its start: answers that
    were scored already are known by their content.
    """
    source = str(path.resolve())
    try:
        with path.open("rb") as stream:
            position = known if known is not None and _same(stream, known) else Position(source, 0, 0, _digest(b""))
            stream.seek(0)
            if stream.read(len(GZIP_MAGIC)) == GZIP_MAGIC:
                raise DataError(
                    "is gzipped; unpack it, or pipe it in: zcat FILE | python -m pipeline.monitor -", path=path
                )
            stream.seek(position.offset)
            while (piece := _next(stream, position, path, end)) is not None:
                yield piece
                position = piece.after
    except OSError as error:
        raise EnvironmentFault(f"{path}: cannot be read: {error.strerror}; check its permissions") from error


def stdin_lines() -> Iterator[tuple[int, bytes]]:
    """Lines of the standard input; its end ends the last one."""
    for number, raw in enumerate(sys.stdin.buffer, 1):
        yield number, raw.rstrip(b"\r\n")


def _same(stream: BinaryIO, known: Position) -> bool:
    stream.seek(max(0, known.offset - TAIL))
    tail: bytes = stream.read(min(TAIL, known.offset))
    return len(tail) == min(TAIL, known.offset) and _digest(tail) == known.tail


def _next(stream: BinaryIO, before: Position, path: Path, end: int | None) -> Piece | None:
    block: bytes = stream.read(BLOCK)
    while block and b"\n" not in block and len(block) < _LIMIT:
        more: bytes = stream.read(BLOCK)
        if not more:
            break
        block += more
    room = None if end is None else max(0, end - before.offset)
    whole = block[: block.rfind(b"\n", 0, room) + 1]
    if not whole:
        if len(block) >= _LIMIT:
            raise DataError(f"line is longer than {_LIMIT:,} bytes", path=path, line=before.line + 1)
        return None
    stream.seek(before.offset + len(whole))
    rows = whole[:-1].split(b"\n")
    lines = tuple((before.line + i, row.rstrip(b"\r")) for i, row in enumerate(rows, 1))
    tail = whole[-TAIL:] if len(whole) >= TAIL else _tail(stream, before.offset + len(whole))
    after = Position(before.source, before.offset + len(whole), before.line + len(rows), _digest(tail))
    return Piece(lines, before, after)


def _tail(stream: BinaryIO, end: int) -> bytes:
    """The bytes just before `end`; the stream stands at `end` afterwards."""
    stream.seek(max(0, end - TAIL))
    tail: bytes = stream.read(min(TAIL, end))
    return tail


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
