"""How well lexical support tells supported from unsupported claims, beside trivial rules.

    python benchmarks/support.py COLLECTIONS

COLLECTIONS holds `expertqa/answers.jsonl.gz` (claims with passages and the judgement of an expert; supported =
Complete) and `clapnq_dev/` (answers that people wrote from one passage). Intervals: bootstrap over questions.
Threshold: best balanced accuracy on the questions of one half, measured on the other half, 100 halves.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from pipeline.sentences import sentence_starts
from pipeline.support import best_support, claim_of, source_of
from pipeline.support.words import fold, pieces

MARKER = re.compile(r"\s*\[[\d,\s]+\]")
RESAMPLES, HALVES = 2000, 100


@dataclass(frozen=True)
class Pair:
    """A claim and the texts that should support it."""

    claim: str
    texts: tuple[str, ...]
    supported: bool
    question: str


def expertqa(folder: Path) -> list[Pair]:
    with gzip.open(folder / "expertqa" / "answers.jsonl.gz", "rt", encoding="utf-8") as stream:
        answers = [json.loads(line) for line in stream]
    found = []
    for answer in answers:
        for claim in answer["claims"]:
            texts = tuple(one["passage"] for one in claim["evidence"] if one.get("passage"))
            if texts and claim["support"] not in (None, "N/A"):
                text = MARKER.sub("", claim["text"])
                found.append(Pair(text, texts, claim["support"] == "Complete", answer["question"]))
    return found


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def clapnq(folder: Path) -> dict[str, list[Pair]]:
    """Sentences of answers beside their passage, against the same beside the most similar other one, or altered."""
    passages = {row["_id"]: row["text"] for row in lines(folder / "clapnq_dev" / "corpus.jsonl")}
    cut = {key: set(tokens(text)) for key, text in passages.items()}
    own, other, altered = [], [], []
    for row in lines(folder / "clapnq_dev" / "answers.jsonl"):
        for said in sentences(row["answers"][0]["answer"]) if row["answerable"] else ():
            right, words = row["passage_ids"][0], set(tokens(said))
            near = max((key for key in passages if key != right), key=lambda key: len(words & cut[key]))
            own.append(Pair(said, (passages[right],), True, row["query_id"]))
            other.append(Pair(said, (passages[near],), False, row["query_id"]))
            changed = re.sub(r"\d(?!.*\d)", lambda digit: str((int(digit[0]) + 1) % 10), said, flags=re.DOTALL)
            if changed != said:
                altered.append(Pair(said, (passages[right],), True, row["query_id"]))
                altered.append(Pair(changed, (passages[right],), False, row["query_id"]))
    return {"own or most similar other passage": own + other, "number kept or altered": altered}


def sentences(text: str) -> list[str]:
    starts = [0, *sentence_starts(text, "en"), len(text)]
    return [text[a:b].strip() for a, b in pairwise(starts) if text[a:b].strip()]


def tokens(text: str) -> list[str]:
    return [fold(text[one.start : one.end]) for one in pieces(text)]


def lexical(pair: Pair) -> float:
    found = best_support(claim_of(pair.claim), map(source_of, pair.texts))
    return 0.0 if found is None or np.isnan(found.score) else found.score


def whole_document(pair: Pair) -> float:
    said = set(tokens(pair.claim))
    return max(len(said & set(tokens(text))) / max(1, len(said)) for text in pair.texts)


RULES: dict[str, Callable[[Pair], float]] = {
    "support": lexical,
    "token overlap, whole document": whole_document,
    "shorter claim": lambda pair: -float(len(pair.claim)),
    "always yes": lambda pair: 1.0,
}


def auroc(scores: np.ndarray, truth: np.ndarray) -> float:
    yes = int(truth.sum())
    ranks = rankdata(scores)
    return float((ranks[truth].sum() - yes * (yes + 1) / 2) / (yes * (len(truth) - yes)))


def balanced(says: np.ndarray, truth: np.ndarray) -> float:
    return float((says[truth].mean() + (~says[~truth]).mean()) / 2)


def threshold(scores: np.ndarray, truth: np.ndarray) -> float:
    tried = np.unique(scores)
    return float(max(tried, key=lambda cut: balanced(scores >= cut, truth)))


def by_question(pairs: Sequence[Pair]) -> list[np.ndarray]:
    names = np.array([pair.question for pair in pairs])
    return [np.flatnonzero(names == name) for name in dict.fromkeys(names.tolist())]


def interval(
    scores: np.ndarray, truth: np.ndarray, groups: list[np.ndarray], less: np.ndarray | None = None
) -> tuple[float, float]:
    """Of the AUROC, or of what it has more than that of `less` on the same questions."""
    rng = np.random.default_rng(0)
    values = []
    for _ in range(RESAMPLES):
        drawn = np.concatenate([groups[i] for i in rng.integers(0, len(groups), len(groups))])
        other = 0.0 if less is None else auroc(less[drawn], truth[drawn])
        values.append(auroc(scores[drawn], truth[drawn]) - other)
    low, high = np.quantile(values, (0.025, 0.975))
    return float(low), float(high)


def halves(scores: np.ndarray, truth: np.ndarray, groups: list[np.ndarray]) -> tuple[float, float]:
    """Mean balanced accuracy on the other half, and mean threshold."""
    rng = np.random.default_rng(0)
    values, cuts = [], []
    for _ in range(HALVES):
        order = rng.permutation(len(groups))
        half = len(groups) // 2
        here = np.concatenate([groups[i] for i in order[:half]])
        there = np.concatenate([groups[i] for i in order[half:]])
        cuts.append(threshold(scores[here], truth[here]))
        values.append(balanced(scores[there] >= cuts[-1], truth[there]))
    return float(np.mean(values)), float(np.mean(cuts))


def table(name: str, pairs: Sequence[Pair]) -> None:
    truth, groups = np.array([pair.supported for pair in pairs]), by_question(pairs)
    print(f"\n{name}: {len(pairs)} claims, {truth.mean():.0%} supported, {len(groups)} questions")
    print(f"  {'rule':32}{'AUROC':>8}{'95 % interval':>18}{'balanced accuracy':>20}{'threshold':>11}")
    scored = {rule: np.array([score(pair) for pair in pairs]) for rule, score in RULES.items()}
    for rule, scores in scored.items():
        low, high = interval(scores, truth, groups)
        accuracy, cut = halves(scores, truth, groups)
        print(f"  {rule:32}{auroc(scores, truth):8.3f}{f'{low:.3f} to {high:.3f}':>18}{accuracy:20.3f}{cut:11.2f}")
    first, second = list(scored.values())[:2]
    low, high = interval(first, truth, groups, second)
    gain = auroc(first, truth) - auroc(second, truth)
    print(f"  AUROC of support over token overlap: {gain:+.3f} [{low:+.3f}, {high:+.3f}]")


def low_end(pairs: Sequence[Pair]) -> None:
    """What a low score says: how many claims have one, and how many of them an expert found unsupported."""
    truth = np.array([pair.supported for pair in pairs])
    found = [best_support(claim_of(pair.claim), map(source_of, pair.texts)) for pair in pairs]
    scores = np.array([one.score if one else np.nan for one in found])
    missing = np.array([bool(one and one.missing) for one in found])
    print("\nexpertqa: what a score says")
    for label, chosen in (
        ("a number is missing", missing),
        ("score below 0.1", scores < 0.1),
        ("score 0.1 to 0.3", (scores >= 0.1) & (scores < 0.3)),
        ("score 0.3 to 0.6", (scores >= 0.3) & (scores < 0.6)),
        ("score 0.6 and more", scores >= 0.6),
    ):
        print(f"  {label:22}{int(chosen.sum()):5} claims, {1 - truth[chosen].mean():.0%} unsupported")


def main() -> None:
    folder = Path(sys.argv[1])
    claims = expertqa(folder)
    table("expertqa", claims)
    low_end(claims)
    for name, pairs in clapnq(folder).items():
        table(f"clapnq, {name}", pairs)


if __name__ == "__main__":
    main()
