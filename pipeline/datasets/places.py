"""Folders and files that a person names: `~` expanded, and what there is instead where there is nothing."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

from pipeline.errors import DataError, EnvironmentFault

SHOWN = 8  # names of a folder in a message


def existing_folder(text: str, wanted: str) -> Path:
    """The folder; DataError saying what was looked for in it and what exists nearby."""
    folder = Path(text).expanduser()
    if folder.is_file():
        raise DataError(f"is a file, expected a folder that holds {wanted}", path=folder)
    if folder.is_dir():
        return folder
    parent = next((above for above in folder.absolute().parents if above.is_dir()), Path("/"))
    lost = folder.absolute().relative_to(parent).parts[0]
    raise DataError(f"no such folder; looked for {wanted} in it; {_instead(parent, lost)}", path=folder)


def existing_file(folder: Path, names: Sequence[str]) -> Path:
    """The first of `names` that the folder holds; DataError naming them and what it holds."""
    for name in names:
        if (folder / name).is_file():
            return folder / name
    others = f" (nor {', '.join(names[1:])})" if len(names) > 1 else ""
    raise DataError(f"no such file{others}; {_instead(folder, names[0])}", path=folder / names[0])


def named_file(text: str, folder: Path) -> Path:
    """A file that a setting names: as it stands, else inside the dataset's folder."""
    given = Path(text).expanduser()
    if given.is_file():
        return given
    if not given.is_absolute() and (folder / given).is_file():
        return folder / given
    parent = next(above for above in given.absolute().parents if above.is_dir())
    also = "" if given.is_absolute() else f", nor in {folder}"
    raise DataError(f"no such file{also}; {_instead(parent, given.name)}", path=given)


def names_in(folder: Path) -> list[str]:
    """Names in the folder without hidden ones, in order."""
    try:
        return sorted(entry.name for entry in folder.iterdir() if not entry.name.startswith("."))
    except OSError as error:
        raise EnvironmentFault(f"{folder}: cannot be listed: {error.strerror}; check its permissions") from error


def _instead(folder: Path, lost: str) -> str:
    names = names_in(folder)
    near = difflib.get_close_matches(lost, names, n=1)
    if near:
        return f"did you mean {folder / near[0]}?"
    shown = ", ".join(names[:SHOWN]) or "nothing"
    return f"{folder} holds {shown}{' …' if len(names) > SHOWN else ''}"
