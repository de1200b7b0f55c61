"""The readable text of an HTML page: what a reader sees, one line a block."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import NamedTuple

PARAGRAPHS = frozenset({
    "address", "article", "aside", "blockquote", "body", "dl", "fieldset", "figure", "footer", "form", "h1", "h2", "h3",
    "h4", "h5", "h6", "header", "hr", "main", "nav", "ol", "p", "pre", "section", "table", "ul",
})  # fmt: skip
LINES = frozenset(
    {"br", "caption", "dd", "details", "div", "dt", "figcaption", "legend", "li", "option", "summary", "tr"}
)
CELLS = frozenset({"td", "th"})
UNSEEN = frozenset({"script", "style", "template", "noscript", "svg", "math"})
BLANKS = re.compile(r"[ \t\r\n\f]+")


class Page(NamedTuple):
    """What a page says; the title is that of <title>, else of the first <h1>, else ""."""

    title: str
    text: str


def page(source: str) -> Page:
    """Title and text of an HTML source, however broken; scripts and styles are dropped, entities resolved."""
    reader = _Reader()
    reader.feed(source)
    reader.close()
    title = reader.found["title"] or reader.found["h1"]
    return Page(" ".join(title.split()), _tidy("".join(reader.pieces)))


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.found = {"title": "", "h1": ""}
        self._open: str | None = None  # title or first h1, while inside
        self._unseen: str | None = None
        self._preformatted = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._unseen:
            return
        if tag in UNSEEN:
            self._unseen = tag
        elif tag in self.found and not self.found[tag]:
            self._open = tag
        self._preformatted += tag == "pre"
        self._border(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._unseen:
            self._unseen = None if tag == self._unseen else self._unseen
            return
        if tag == self._open:
            self._open = None
        self._preformatted -= tag == "pre" and self._preformatted > 0
        if tag != "br":
            self._border(tag)

    def handle_data(self, data: str) -> None:
        if self._unseen:
            return
        if self._open:
            self.found[self._open] += data
        if self._open != "title":
            self.pieces.append(data if self._preformatted else BLANKS.sub(" ", data))

    def _border(self, tag: str) -> None:
        if tag in PARAGRAPHS:
            self.pieces.append("\n\n")
        elif tag in LINES:
            self.pieces.append("\n")
        elif tag in CELLS:
            self.pieces.append(" ")


def _tidy(text: str) -> str:
    """Lines without trailing blanks and without the single leading one that markup leaves; one empty line at most."""
    lines = [line.rstrip() for line in text.split("\n")]
    lines = [line[1:] if line.startswith(" ") and not line.startswith("  ") else line for line in lines]
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"(?<=\S)  +(?=\S)", " ", "\n".join(lines))).strip("\n")
