"""The plan: every point composed, built and checked before the first job; twins, names, baseline, what is cached."""

from __future__ import annotations

import dataclasses
import difflib
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from pipeline import identity, metrics
from pipeline.config import Point
from pipeline.errors import SettingError
from pipeline.metrics.days import days
from pipeline.protocols import External
from pipeline.records import Dataset, Scalar
from pipeline.storage.fingerprint import library_version
from pipeline.storage.stages import Stages
from pipeline.storage.sweep_files import PlannedJob

SOFTWARE = (
    "rag-sweep",
    "numpy",
    "scipy",
    "torch",
    "sentence-transformers",
    "faiss-cpu",
    "bm25s",
    "rank-bm25",
    "mlflow",
)
GIVEN = ("prefix", "decay")  # settings of which `none` is a choice like any other
TRIPLE = ("retriever", "embedding", "chunk_size")


def for_dataset(point: Point, dataset: Dataset) -> Point:
    """The point without the measures that this dataset has nothing for (evidence spans), the others on its scale.

    SettingError where the queries lack the days that the point asks for.
    """
    days(point.experiment.as_of, dataset.queries)
    highest = max([1, *dataset.grade_meanings, *dataset.qrels.grades.tolist()])
    kept = [m for m in point.experiment.measures if dataset.spans is not None or "spans" not in metrics.needs(m)]
    measures = tuple(dict.fromkeys(metrics.scaled(m, highest) for m in kept))
    return dataclasses.replace(
        point,
        experiment=dataclasses.replace(point.experiment, measures=measures),
        primary=metrics.scaled(point.primary, highest),
    )


def check_together(points: Sequence[Point]) -> None:
    """SettingError unless all points can be compared: one dataset, the same measures, policy and statistics."""
    first = points[0]
    for number, point in enumerate(points[1:], start=1):
        differing = [
            name
            for name, one, other in (
                ("dataset", first.source, point.source),  # whole: a fingerprint leaves its path out
                ("measures", first.experiment.measures, point.experiment.measures),
                *_options(first.experiment.options, point.experiment.options),
                ("as_of", first.experiment.as_of, point.experiment.as_of),
                ("primary", first.primary, point.primary),
                ("budget_tokenizer", first.experiment.budget_tokenizer, point.experiment.budget_tokenizer),
                ("stats", first.stats, point.stats),
            )
            if one != other
        ]
        if differing:
            raise SettingError(
                f"job {number} differs from job 0 in {differing[0]}: such results cannot be compared;"
                f" run one sweep for each {differing[0]}"
            )


def _options(one: metrics.Options, other: metrics.Options) -> Iterator[tuple[str, object, object]]:
    """Every setting of what the special cases count, by its own name."""
    for setting in dataclasses.fields(metrics.Options):
        yield setting.name, getattr(one, setting.name), getattr(other, setting.name)


def check_models(points: Sequence[Point]) -> tuple[str, ...]:
    """What to know about the models; ModelError for one that cannot be had, before anything is computed."""
    notes: dict[str, None] = {}
    for point in points:
        if isinstance(point.experiment.retriever, External):
            continue
        for leg in point.experiment.retriever.legs:
            if leg.embedder is not None:
                leg.embedder.check()
                notes |= dict.fromkeys(leg.embedder.notes())
    return tuple(notes)


def jobs(points: Sequence[Point], overrides: Sequence[Sequence[str]], dataset: Dataset) -> tuple[PlannedJob, ...]:
    """The jobs with their names and twins, in order."""
    keys = [point.answers.key(identity.keys(point.experiment, dataset.digests).scores) for point in points]
    first: dict[str, int] = {}
    for number, key in enumerate(keys):
        first.setdefault(key, number)
    distinct = sorted(first.values())
    names = dict(zip(distinct, _names([points[number] for number in distinct]), strict=True))
    return tuple(
        PlannedJob(
            number=number,
            name=names[first[key]],
            key=key,
            same_as=None if first[key] == number else first[key],
            overrides=tuple(overrides[number]),
            settings=points[first[key]].settings,
        )
        for number, key in enumerate(keys)
    )


def _names(points: Sequence[Point]) -> list[str]:
    """Retriever, model and size, then only what else differs between those that have it."""
    other = [name for name in points[0].settings if name not in TRIPLE]
    values = {name: {point.settings.get(name, "none") for point in points} for name in other if _tells(name)}
    differing = [
        name for name, found in values.items() if len(found - {"none"}) > 1 or (name in GIVEN and found > {"none"})
    ]
    names = []
    for point in points:
        extra = [_short(name, point.settings[name]) for name in differing if point.settings.get(name, "none") != "none"]
        names.append("-".join([point.label, *extra]))
    return [name if names.count(name) == 1 else f"{name}-{number}" for number, name in enumerate(names)]


def _tells(name: str) -> bool:
    # The model's short name stands in the label already, and the rest of this follows from the model or the context.
    if name.startswith(("context.", "decay.")):
        return False
    return name not in ("embedding.model", "embedding.digest", "embedding.limit", "embedding.prefix_source")


def _short(name: str, value: Scalar) -> str:
    word = name.rpartition(".")[2]
    speaks = word in ("chunker", "engine", "variant", "method", "context", "answers")
    return str(value).lower() if speaks else f"{word}:{value}"


def baseline(wanted: Any, planned: Sequence[PlannedJob]) -> str:
    """The name of the one experiment that `wanted` (None, a name or a mapping) means."""
    distinct = [job for job in planned if job.same_as is None]
    if wanted is None:
        return distinct[0].name
    if isinstance(wanted, Mapping):
        return _by_settings(wanted, distinct)
    name = str(wanted)
    exact = [job.name for job in distinct if job.name == name]
    found = exact or [job.name for job in distinct if _parts_match(name, job.name)]
    if len(found) == 1:
        return found[0]
    names = [job.name for job in distinct]
    if found:
        raise SettingError(f"baseline={name}: {len(found)} experiments match ({', '.join(found)}); name one of them")
    near = names if len(names) <= 8 else difflib.get_close_matches(name, names, n=6, cutoff=0.0)
    raise SettingError(f"baseline={name}: no experiment of this sweep has that name; there are {', '.join(near)}")


def _parts_match(name: str, full: str) -> bool:
    """Whether `full` is `name` with parts left out: dense-512 for dense-minilm-512."""
    rest = iter(full.split("-"))
    return all(part in rest for part in name.split("-"))


def _by_settings(wanted: Mapping[Any, Any], distinct: Sequence[PlannedJob]) -> str:
    for key in wanted:
        if str(key) not in distinct[0].settings:
            raise SettingError(f"baseline: unknown setting {key!r}; known are {', '.join(distinct[0].settings)}")
    found = [
        job.name for job in distinct if all(str(job.settings[str(key)]) == str(value) for key, value in wanted.items())
    ]
    if len(found) == 1:
        return found[0]
    described = ", ".join(f"{key}={value}" for key, value in wanted.items())
    if found:
        raise SettingError(f"baseline {{{described}}}: {len(found)} experiments match ({', '.join(found)}); say more")
    values = "; ".join(
        f"{key} has {', '.join(sorted({str(job.settings[str(key)]) for job in distinct}))}" for key in wanted
    )
    raise SettingError(f"baseline {{{described}}}: no experiment of this sweep matches; {values}")


def reuse(points: Sequence[Point], dataset: Dataset, stages: Stages) -> dict[str, tuple[int, int]]:
    """What the sweep needs and how much of it is cached: word -> (cached, needed), distinct ones only."""
    every = [identity.keys(point.experiment, dataset.digests) for point in points]
    needed = {
        "experiments": {keys.scores for keys in every},
        "embeddings": {key for keys in every for key in keys.vectors},
        "BM25 indexes": {key for keys in every for key in keys.indexes},
    }
    return {word: (sum(map(stages.has, keys)), len(keys)) for word, keys in needed.items() if keys}


@cache
def software() -> dict[str, str]:
    """Versions of what the numbers rest on, and the git commit of the folder that the command runs in."""
    versions = {name: library_version(name) for name in SOFTWARE}
    git = shutil.which("git")
    if git is None:
        return versions
    asked = subprocess.run([git, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return {**versions, "commit": asked.stdout.strip()} if asked.returncode == 0 else versions
