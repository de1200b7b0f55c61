"""A folder of text files as documents: ids are paths below the folder, with `/` between the names."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

from pipeline.datasets.align_texts import join_title
from pipeline.datasets.beir_files import DATE_FIELDS
from pipeline.datasets.html_text import page
from pipeline.datasets.raw import RawDocument
from pipeline.errors import DataError, EnvironmentFault
from pipeline.storage.text_lines import LINE_LIMIT, read_lines

HTML, MARKDOWN = frozenset({".html", ".htm", ".xhtml"}), frozenset({".md", ".markdown", ".mdx"})
FRONT_LIMIT = 100  # lines
FRONT_FIELD = re.compile(r"([A-Za-z_][\w-]*):\s*(\S.*)")
HEADING = re.compile(r" {0,3}#{1,6}\s+(.+?)\s*#*\s*")
UNDERLINE = re.compile(r"([=\-~^*+#])\1{2,}")
FENCE = re.compile(r" {0,3}(```|~~~)")


class Front(NamedTuple):
    """Simple `key: value` lines between two `---` at the top of a Markdown file, and the text below them."""

    fields: Mapping[str, str]
    body: str


def read_documents(folder: Path, patterns: Sequence[str], skip: Sequence[Path] = ()) -> list[RawDocument]:
    """Every file below the folder whose name fits one of the patterns, without hidden ones and those in `skip`.

    Titles are joined to the texts here, where the text does not show them already.

    Raises:
        DataError: no file fits, a file is too large, not UTF-8, or holds a NUL byte.
    """
    skipped = {path.resolve() for path in skip}
    others: Counter[str] = Counter()
    documents = []
    for path in _files(folder):
        if path.resolve() in skipped:
            continue
        if any(fnmatch(path.name.lower(), pattern.lower()) for pattern in patterns):
            documents.append(_document(path, folder))
        else:
            others[path.suffix or path.name] += 1
    if not documents:
        found = ", ".join(f"{count:,} {ending}" for ending, count in others.most_common(5)) or "no files"
        raise DataError(f"no documents: no file fits {' '.join(patterns)}; found {found}", path=folder)
    return documents


def _files(folder: Path) -> Iterator[Path]:
    for base, folders, names in os.walk(folder, onerror=_refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(base) / name for name in sorted(names) if not name.startswith("."))


def _refuse(error: OSError) -> None:
    raise EnvironmentFault(f"{error.filename}: cannot be listed: {error.strerror}; check its permissions") from error


def _document(path: Path, folder: Path) -> RawDocument:
    relative = path.relative_to(folder).as_posix()
    try:
        relative.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError(f"{str(path)!r}: the file name is not UTF-8; rename it") from error
    if path.stat().st_size > LINE_LIMIT:
        raise DataError(f"is larger than {LINE_LIMIT:,} bytes; split it", path=path)
    text = "\n".join(line.text for line in read_lines(path))
    name, ending = unicodedata.normalize("NFC", relative), path.suffix.lower()
    if ending in HTML:
        title, body = page(text)
        return RawDocument(name, _with_title(title, body), title, where=str(path))
    fields, body = front_matter(text) if ending in MARKDOWN else Front({}, text)
    title = fields.get("title", "")
    shown = _with_title(title, body) if title else body
    date = next((fields[field] for field in DATE_FIELDS if field in fields), None)
    return RawDocument(name, shown, title or first_heading(body, ending in MARKDOWN), date, fields, str(path))


def _with_title(title: str, body: str) -> str:
    first = next((line for line in body.split("\n") if line.strip()), "")
    heading = HEADING.fullmatch(first)
    return body if title and (heading[1] if heading else first.strip()) == title else join_title(title, body)


def front_matter(text: str) -> Front:
    """The front matter's simple fields, names in lower case, quotes off; no fields where there is none."""
    lines = text.split("\n")
    end = next((at for at, line in enumerate(lines[1:FRONT_LIMIT], 1) if line.rstrip() == "---"), None)
    if lines[0].rstrip() != "---" or end is None:
        return Front({}, text)
    matches = (FRONT_FIELD.fullmatch(line.rstrip()) for line in lines[1:end])
    fields = {match[1].lower(): match[2].strip("\"'") for match in matches if match}
    return Front(fields, "\n".join(lines[end + 1 :]).lstrip("\n"))


def first_heading(text: str, markdown: bool) -> str:
    """The first `# heading` (Markdown only, outside code fences) or underlined line, else ""."""
    previous, fenced = "", False
    for line in text.split("\n"):
        if markdown and FENCE.match(line):
            fenced = not fenced
        elif markdown and not fenced and (heading := HEADING.fullmatch(line)):
            return heading[1]
        elif not fenced and previous and _underlines(line.strip(), previous):
            return previous
        previous = line.strip()
    return ""


def _underlines(line: str, previous: str) -> bool:
    return bool(UNDERLINE.fullmatch(line)) and len(line) >= len(previous) and not UNDERLINE.fullmatch(previous)
