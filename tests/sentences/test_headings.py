"""What is a heading, and what only looks like one."""

from __future__ import annotations

import pytest

from pipeline.sentences import headings, section_starts


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# One\ntext\n## Two ##\n", [(0, 1, "One"), (11, 2, "Two")]),
        ("#hashtag\n#\n####### seven\n", []),
        ("Title\n=====\ntext\n\nPart\n----\n", [(0, 1, "Title"), (18, 2, "Part")]),
        ("*****\nTitle\n*****\n\nPart\n****\n", [(0, 1, "Title"), (19, 2, "Part")]),
        ("Part\n~~~\n", []),  # shorter than its title: reStructuredText refuses it, Markdown does not know it
        ("two lines\nof text\n-------\n", []),
        ("```\n# a comment\n```\n# Real\n", [(20, 1, "Real")]),
        ("~~~\n# a comment\n", []),
        ("a | b\n--- | ---\n", []),
        ("------\n\ntext\n", []),
        ("# One\r\ntext\r\n", [(0, 1, "One")]),
        ("", []),
    ],
)
def test_headings_with_their_places_and_levels(text: str, found: list[tuple[int, int, str]]) -> None:
    assert [tuple(heading) for heading in headings(text)] == found


def test_sections_begin_at_headings_but_the_first_character_opens_none() -> None:
    assert section_starts("# One\ntext\n# Two\n") == [11]
