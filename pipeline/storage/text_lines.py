"""Lines of text files, plain or gzipped, with the place of every fault. Memory is bounded by the longest line."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pipeline.errors import DataError, EnvironmentFault

LINE_LIMIT = 64 * 2**20  # bytes
GZIP_MAGIC = b"\x1f\x8b"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
UTF8_MARK = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One line without its end; `number` counts from 1."""

    number: int
    text: str


def read_lines(path: Path, limit: int = LINE_LIMIT) -> Iterator[Line]:
    """Every line, blank ones too; LF and CRLF end a line, a byte order mark is dropped, gzip is told by its content.

    Raises:
        DataError: no such file, damaged gzip, not UTF-8, a NUL byte, or a line of more than `limit` bytes.
        EnvironmentFault: the file cannot be read for another reason.
    """
    number = 0
    try:
        with _open(path) as stream:
            while raw := stream.readline(limit + 1):
                number += 1
                yield Line(number, _decode(raw, path, number, limit))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"damaged gzip file ({error}); copy it again", path=path, line=number + 1) from error
    except OSError as error:
        raise EnvironmentFault(f"{path}: cannot be read: {error.strerror}; check the disk") from error


def _open(path: Path) -> gzip.GzipFile | io.BufferedReader:
    try:
        with path.open("rb") as stream:
            packed = stream.read(2) == GZIP_MAGIC
        return gzip.open(path, "rb") if packed else path.open("rb")
    except FileNotFoundError as error:
        raise DataError("no such file", path=path) from error
    except IsADirectoryError as error:
        raise DataError("is a folder, expected a file", path=path) from error
    except OSError as error:
        raise EnvironmentFault(f"{path}: cannot be read: {error.strerror}; check its permissions") from error


def _decode(raw: bytes, path: Path, number: int, limit: int) -> str:
    if len(raw) > limit:
        raise DataError(f"line is longer than {limit:,} bytes; split the document", path=path, line=number)
    if number == 1:
        if raw.startswith(UTF16_MARKS):
            raise DataError("is UTF-16; save it as UTF-8", path=path, line=1)
        raw = raw.removeprefix(UTF8_MARK)
    raw = raw.removesuffix(b"\n").removesuffix(b"\r")
    if b"\0" in raw:
        raise DataError("holds a NUL byte; expected text in UTF-8", path=path, line=number)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError(
            f"byte 0x{raw[error.start]:02x} in column {error.start + 1} is not UTF-8; save the file as UTF-8",
            path=path,
            line=number,
        ) from error
