"""Writes requirements.lock: everything that rag-sweep and its extras need, by name and version, as installed here.

python scripts/lock.py            after changing dependencies in pyproject.toml and installing them
"""

from __future__ import annotations

import sys
import tomllib
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
HEADER = """\
# Made by scripts/lock.py from the environment that CI tests; names and versions only, any index can serve them.
# torch: this release installs as a CPU build where one is offered. For a GPU, install the torch you want first
# (see the README) and leave the line out.
"""


def closure(project: dict[str, list[str]]) -> dict[str, str]:
    """Distribution -> installed version, for every requirement and what those require in turn."""
    open_ends = [(Requirement(line), frozenset[str]()) for lines in project.values() for line in lines]
    found: dict[str, str] = {}
    seen: set[tuple[str, frozenset[str]]] = set()
    while open_ends:
        requirement, extras = open_ends.pop()
        if requirement.marker and not any(requirement.marker.evaluate({"extra": extra}) for extra in extras or {""}):
            continue
        name = canonicalize_name(requirement.name)
        wanted = frozenset(requirement.extras)
        if (name, wanted) in seen:
            continue
        seen.add((name, wanted))
        try:
            distribution = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            sys.exit(f"{name} is not installed here; install the project with all extras first")
        found[name] = distribution.version.partition("+")[0]
        open_ends += [(Requirement(line), wanted | {""}) for line in distribution.requires or []]
    return found


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    groups = {"": project["dependencies"], **project["optional-dependencies"]}
    lines = [f"{name}=={version}\n" for name, version in sorted(closure(groups).items()) if name != "rag-sweep"]
    (ROOT / "requirements.lock").write_text(HEADER + "".join(lines), "utf-8")
    print(f"requirements.lock: {len(lines)} distributions")


if __name__ == "__main__":
    main()
