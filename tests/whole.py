"""A small real collection and the command line in this process: what the whole tests share."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

TEXTS: Mapping[str, str] = {
    "bread": (
        "Sourdough bread rises slowly. Knead the dough, let it rest overnight and bake it in a hot oven with steam."
    ),
    "pizza": (
        "Pizza dough is stretched thin by hand. "
        "Bake the pizza on a hot stone for a few minutes until the crust blisters."
    ),
    "soup": (
        "A vegetable soup starts with onions and carrots. "
        "Simmer the broth for an hour and season it with salt at the end."
    ),
    "tea": (
        "Green tea turns bitter in boiling water. "
        "Let the kettle cool for some minutes before you pour it over the leaves."
    ),
    "coffee": (
        "Grind coffee beans just before brewing. Water a little below boiling extracts the flavour without bitterness."
    ),
    "bicycle": "Oil the bicycle chain every month. A dry chain wears the sprockets and makes pedalling hard work.",
    "tyre": (
        "To mend a flat tyre find the hole in the tube, roughen the rubber, spread glue and press the patch on firmly."
    ),
    "garden": (
        "Water the garden in the early morning. Tomatoes want deep watering twice a week and a thick layer of mulch."
    ),
    "compost": "Compost needs air and moisture. Turn the heap every fortnight and mix kitchen waste with dry leaves.",
    "piano": (
        "Practise the piano scales slowly with both hands. A steady rhythm matters more than speed at the beginning."
    ),
    "violin": (
        "Tighten the bow of the violin before playing and loosen it afterwards, or the stick will warp with time."
    ),
    "sail": "Reef the sail before the wind grows strong. A boat that heels too much is slow and hard to steer.",
}
QUESTIONS: Mapping[str, tuple[str, Mapping[str, int]]] = {
    "q01": ("how long should dough rest before baking bread", {"bread": 2, "pizza": 1}),
    "q02": ("hot stone for a thin crust", {"pizza": 2}),
    "q03": ("when to add salt to vegetable broth", {"soup": 2}),
    "q04": ("water temperature for a drink that is not bitter", {"tea": 2, "coffee": 2}),
    "q05": ("bicycle chain maintenance", {"bicycle": 2}),
    "q06": ("repair a punctured tube with a patch", {"tyre": 2}),
    "q07": ("how often do tomatoes need water", {"garden": 2, "compost": 0}),
    "q08": ("what goes on a compost heap", {"compost": 2, "garden": 0}),
    "q09": ("learning scales with a steady rhythm", {"piano": 2}),
    "q10": ("care for the bow of an instrument", {"violin": 2, "piano": 0}),
    "q11": ("sailing when the wind is strong", {"sail": 2}),
    "q12": ("grinding beans", {"coffee": 2, "tea": 0}),
}


def write_collection(folder: Path, *, judged: bool = True) -> Path:
    """The collection as a BEIR folder."""
    (folder / "qrels").mkdir(parents=True)
    corpus = [{"_id": name, "title": "", "text": text} for name, text in TEXTS.items()]
    queries = [{"_id": name, "text": text} for name, (text, _) in QUESTIONS.items()]
    for name, rows in (("corpus", corpus), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    if judged:
        lines = [f"{q}\t{d}\t{g}\n" for q, (_, found) in QUESTIONS.items() for d, g in found.items()]
        (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(lines), "utf-8")
    return folder


def run(*arguments: str, fresh: bool = True) -> int:
    """`python -m pipeline.run` with these arguments, in this process; `fresh` = as a new process would start."""
    from pipeline.run import main
    from pipeline.sweep import process

    if fresh:
        process.forget()
    return main(list(arguments))


def sweep_folder(output_dir: Path = Path("outputs"), kind: str = "sweeps") -> Path:
    """The latest sweep."""
    return max((output_dir / kind).iterdir(), key=lambda path: path.stat().st_mtime_ns)


def common(folder: Path, *more: str) -> Sequence[str]:
    """Arguments of every whole test: the small collection, no tracking, no latency probes."""
    return ["dataset=beir", f"dataset.path={folder}", "tracking=none", "probes=0", "embedding=wordllama_64", *more]
