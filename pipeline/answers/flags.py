"""The flags that say how citations are read, the same in every command."""

from __future__ import annotations

import argparse

from pipeline.citations import FORMATS, Matcher, Pattern, Settings


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Adds them, in a group of their own."""
    group = parser.add_argument_group("citations")
    group.add_argument("--formats", default="auto", help=f"auto, or some of {', '.join(FORMATS)}, with commas")
    group.add_argument("--pattern", metavar="REGEX", help=r"a pattern of your own: \[src (?P<id>\w+)\]")
    group.add_argument("--engine", choices=("re2", "python"), default="re2", help="python: with a time limit")
    group.add_argument("--numbering", choices=("auto", "position", "id"), default="auto", help="what [1] cites")
    group.add_argument("--language", default="en", help="whose abbreviations the sentence rules know")


def settings_of(options: argparse.Namespace) -> Settings:
    """The settings that the flags describe; SettingError for a word or pattern that cannot be used."""
    formats: list[str | Matcher] = [name.strip() for name in options.formats.split(",") if name.strip()]
    if options.pattern is not None:
        own = _pattern(options.pattern, options.engine)
        formats = [own] if options.formats == "auto" else [*formats, own]
    return Settings(tuple(formats), options.numbering, options.language)


def _pattern(regex: str, engine: str) -> Matcher:
    if engine == "re2":
        return Pattern(regex)
    from pipeline.answers.python_engine import PythonPattern

    return PythonPattern(regex)
