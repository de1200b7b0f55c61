"""What the statistics promise, by simulation: false alarms of a whole sweep, coverage, and the set that may be best.

    python scripts/simulate_statistics.py families --repetitions 10000 [--worlds "all equal"]
    python scripts/simulate_statistics.py coverage --repetitions 10000 --sweeps outputs/sweeps/ONE outputs/sweeps/OTHER
    python scripts/simulate_statistics.py choosing --repetitions 10000 [--worlds "24 steps"]
    python scripts/simulate_statistics.py confirmed --repetitions 100000

Each prints a Markdown table for docs/statistics.md; cells outside their goal end in (!). Everything is seeded.
--sweeps: folders of finished sweeps; the differences of every two of their experiments, query by query, are resampled.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from itertools import combinations, product
from pathlib import Path

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from pipeline.stats.dealing import holdout
from pipeline.stats.families import family
from pipeline.stats.gain import gains_of, halves_of
from pipeline.stats.intervals import interval_of_mean
from pipeline.stats.options import StatsOptions
from pipeline.stats.pairing import pair_up
from pipeline.stats.tables import on_grid
from pipeline.storage.sweep_files import read_sweep

EXPERIMENTS, QUERIES = 24, 100
FLIPS = StatsOptions(resamples=199)  # 5 % of 199 + 1 is whole: the error is what more flips would give
MEASURES = ("nDCG@10", "AP", "RR", "R@10")  # of real sweeps, for the coverage
RANKS = np.array([0.10, 0.16, 0.24, 0.36, 0.52])  # below: not found, rank 5, 4, 3, 2; above: rank 1

WORLDS = {
    "all equal": np.zeros(EXPERIMENTS),
    "8 of 24 better": np.repeat([0.0, 0.4], [16, 8]),
    "24 steps": np.linspace(0, 0.5, EXPERIMENTS),
}

SKEWED = "opposite skew"  # reported without a goal: equal means are not the hypothesis that flips test

CHOOSING = tuple(product(("RR-like", "0/1"), (0.0, 0.7), WORLDS))  # rows of the tables after choosing

Outcome = Callable[[np.ndarray], np.ndarray]


def reciprocal_rank(latent: np.ndarray) -> np.ndarray:
    """Outcomes like RR: 0, 1/5 … 1/2, 1, most of them 1."""
    place = np.searchsorted(RANKS, ndtr(latent))
    return np.where(place == 0, 0.0, 1.0 / (6 - place.clip(1)))


def opposite_skew(latent: np.ndarray) -> np.ndarray:
    """Exponential less its mean, mirrored for every other experiment: equal means, not exchangeable."""
    mirrored = np.where(np.arange(len(latent)) % 2, -1.0, 1.0)[:, None]
    return mirrored * (-np.log(ndtr(-mirrored * latent)) - 1)


OUTCOMES: dict[str, Outcome] = {
    "normal": lambda latent: latent,
    "RR-like": reciprocal_rank,
    "0/1": lambda latent: (latent > -0.524).astype(float),  # 70 % ones
    SKEWED: opposite_skew,
}


def sweep(rng: np.random.Generator, outcome: str, rho: float, shifts: np.ndarray) -> np.ndarray:
    """Values (experiments, queries); experiments with equal shifts are exchangeable within a query."""
    common = rng.normal(size=QUERIES)
    own = rng.normal(size=(shifts.size, QUERIES))
    latent = np.sqrt(rho) * common + np.sqrt(1 - rho) * own + shifts[:, None]
    return on_grid(OUTCOMES[outcome](latent))


def family_errors(outcome: str, rho: float, shifts: np.ndarray, repetitions: int, seed: int) -> dict[str, float]:
    """Shares of sweeps with a false finding in either family, and of those whose set holds the truly best."""
    rng = np.random.default_rng(seed)
    pairs_all = np.array(list(combinations(range(shifts.size), 2)))
    same = shifts[pairs_all[:, 0]] == shifts[pairs_all[:, 1]]
    best = int(np.argmax(shifts))
    false_a = false_b = held = members = 0
    for repetition in range(repetitions):
        values = sweep(rng, outcome, rho, shifts)
        left = np.arange(1, shifts.size)
        tests = family(pair_up(values, left, np.zeros_like(left)), repetition, FLIPS)
        false_a += bool((tests.corrected[shifts[1:] == shifts[0]] <= 0.05).any())
        pairs = pair_up(values, pairs_all[:, 0], pairs_all[:, 1])
        tests = family(pairs, repetition, FLIPS)
        found = tests.corrected <= 0.05
        false_b += bool((found & same).any())
        ahead = pairs.of(pairs.sums.sum(axis=1, keepdims=True))[:, 0] > 0
        losers = np.where(ahead, pairs_all[:, 1], pairs_all[:, 0])[found]
        held += best not in losers
        members += shifts.size - np.unique(losers).size
    return {
        "against the baseline": false_a / repetitions,
        "all pairs": false_b / repetitions,
        "set holds the best": held / repetitions,
        "size of the set": members / repetitions,
    }


def families(repetitions: int, worlds: Sequence[str]) -> None:
    """Family-wise error and the set, in every world."""
    print(f"{EXPERIMENTS} experiments, {QUERIES} queries, {FLIPS.resamples} flips\n")
    print("| outcome | ρ | world | sweeps | false, baseline | false, all pairs | set holds best | size of set |")
    print("|---|---|---|---|---|---|---|---|")
    rows = [(o, rho, w) for w in WORLDS for o in OUTCOMES if o != SKEWED for rho in (0.0, 0.7)]
    rows += [(SKEWED, rho, "all equal") for rho in (0.0, 0.7)]
    for seed, (outcome, rho, world) in enumerate(rows):
        if world not in worlds:
            continue
        a, b, held, size = family_errors(outcome, rho, WORLDS[world], repetitions, seed).values()
        errors = " | ".join(
            "-" if world == "24 steps" else f"{share:.2%}{' (!)' if share > 0.055 and outcome != SKEWED else ''}"
            for share in (a, b)
        )
        missed = " (!)" if held < 0.95 else ""
        row = f"{outcome} | {rho} | {world} | {repetitions:,} | {errors} | {held:.2%}{missed} | {size:.1f}"
        print(f"| {row} |", flush=True)


def real_differences(folders: Sequence[Path]) -> dict[str, np.ndarray]:
    """Per-query differences of every two experiments of each sweep, by measure and pair."""
    found = {}
    for folder in folders:
        sweep = read_sweep(folder)
        tables = {str(job.settings["retriever"]): job.scores for job in sweep.jobs if job.scores is not None}
        for measure, (one, other) in product(MEASURES, combinations(sorted(tables), 2)):
            first, second = (tables[name].values[tables[name].measures.index(measure)] for name in (one, other))
            difference = second - first
            found[f"{sweep.dataset['name']} {measure} {one}/{other}"] = difference[~np.isnan(difference)]
    return found


def percentile_covers(sample: np.ndarray, truth: float, weights: np.ndarray) -> bool:
    """Whether the percentile interval holds the truth."""
    low, high = np.quantile(weights @ sample / sample.size, (0.025, 0.975))
    return bool(low <= truth <= high)


def coverage_of(
    population: np.ndarray, size: int, least: int, repetitions: int, seed: int
) -> tuple[float, float, float]:
    """Coverage of the t and the percentile interval over samples with `least` differing queries, and their share."""
    rng = np.random.default_rng(seed)
    weights = rng.multinomial(size, np.full(size, 1 / size), size=2000).astype(float)
    truth, quantile = population.mean(), stdtrit(size - 1, 0.975)
    drawn = kept = by_t = by_percentile = 0
    while kept < repetitions and drawn < 100 * repetitions:
        sample = rng.choice(population, size)
        drawn += 1
        if (sample != 0).sum() < least:
            continue
        kept += 1
        by_t += abs(sample.mean() - truth) <= quantile * sample.std(ddof=1) / np.sqrt(size)
        by_percentile += percentile_covers(sample, truth, weights)
    return (
        (by_t / kept, by_percentile / kept, kept / drawn)
        if kept >= repetitions / 10
        else (np.nan, np.nan, kept / drawn)
    )


def clustered_coverage(population: np.ndarray, groups: int, repetitions: int, seed: int) -> float:
    """Coverage of the cluster-robust t interval: 1 to 9 queries a cluster, a third of the variance between clusters."""
    rng = np.random.default_rng(seed)
    centred = population - population.mean()
    covered = 0
    for _ in range(repetitions):
        sizes = rng.integers(1, 10, groups)
        codes = np.repeat(np.arange(groups), sizes)
        shared = rng.choice(centred, groups)[codes]
        sample = np.sqrt(1 / 3) * shared + np.sqrt(2 / 3) * rng.choice(centred, codes.size)
        found = interval_of_mean(sample, clusters=[f"{code:03d}" for code in codes])
        covered += found.low <= 0 <= found.high
    return covered / repetitions


def coverage(repetitions: int, folders: Sequence[Path]) -> None:
    """Coverage of the default 95 % interval on differences resampled from real scores."""
    print(f"{repetitions:,} samples a cell; share of samples with enough differing queries in brackets\n")
    print(
        "| differences | t, n=30 (≥ 15 differ) | percentile | t, n=100 (≥ 30 differ) | percentile | clusters: 40 | 20 |"
    )
    print("|---|---|---|---|---|---|---|")
    for seed, (name, population) in enumerate(real_differences(folders).items()):
        cells = []
        for size, least, low, high in ((30, 15, 0.935, 1.0), (100, 30, 0.935, 0.965)):
            by_t, by_percentile, share = coverage_of(population, size, least, repetitions, seed)
            cells.append(f"{_cell(by_t, low, high)} [{share:.0%}]")
            cells.append(_cell(by_percentile, 0.92 if size == 30 else 0.935, high))
        for groups, low in ((40, 0.93), (20, 0.91)):
            cells.append(_cell(clustered_coverage(population, groups, repetitions, seed), low, 1.0))
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def true_means(outcome: str, rho: float, shifts: np.ndarray) -> np.ndarray:
    """Expected outcome of every experiment, over the latent normal by 20,001 quantiles."""
    del rho  # the marginal distribution is the same for every rho
    points = ndtri((np.arange(20_001) + 0.5) / 20_001)
    return OUTCOMES[outcome](points + shifts[:, None]).mean(axis=1)


def choosing_errors(outcome: str, rho: float, shifts: np.ndarray, repetitions: int, seed: int) -> np.ndarray:
    """(repetitions, 3): best observed, confirmed and expected gain, each minus the true gain that it speaks of."""
    rng = np.random.default_rng(seed)
    truth = true_means(outcome, rho, shifts)
    errors = np.empty((repetitions, 3))
    ids = [f"q{i:03d}" for i in range(QUERIES)]
    for repetition, row in enumerate(errors):
        values = sweep(rng, outcome, rho, shifts)
        means = values.mean(axis=1)
        shipped = int(np.argmax(means))
        split = holdout(ids, seed=repetition)
        chosen = int(np.argmax(values[:, split.select].mean(axis=1)))
        there = values[:, split.confirm].mean(axis=1)
        gains, _ = gains_of(values, np.ones(QUERIES), halves_of(repetition, QUERIES, 100), 0)
        row[0] = means[shipped] - means[0] - (truth[shipped] - truth[0])
        row[1] = there[chosen] - there[0] - (truth[chosen] - truth[0])
        row[2] = gains.mean() - (truth[shipped] - truth[0])
    return errors


def confirmed_errors(outcome: str, rho: float, shifts: np.ndarray, repetitions: int, seed: int) -> np.ndarray:
    """(repetitions,): the confirmed gain minus the true gain of the experiment that the select part chose."""
    rng = np.random.default_rng(seed)
    truth = true_means(outcome, rho, shifts)
    ids = [f"q{i:03d}" for i in range(QUERIES)]
    errors = np.empty(repetitions)
    for repetition in range(repetitions):
        values = sweep(rng, outcome, rho, shifts)
        split = holdout(ids, seed=repetition)
        chosen = int(np.argmax(values[:, split.select].mean(axis=1)))
        there = values[:, split.confirm].mean(axis=1)
        errors[repetition] = there[chosen] - there[0] - (truth[chosen] - truth[0])
    return errors


def confirmed(repetitions: int) -> None:
    """Bias of the confirmed gain alone, over so many sweeps that its standard error is far below the goal."""
    print(f"{EXPERIMENTS} experiments, {QUERIES} queries, {repetitions:,} sweeps a row; mean error ± standard error\n")
    print("| outcome | ρ | world | confirmed |\n|---|---|---|---|")
    for seed, (outcome, rho, world) in enumerate(CHOOSING, start=len(CHOOSING)):  # other sweeps than `choosing`
        errors = confirmed_errors(outcome, rho, WORLDS[world], repetitions, seed)
        error = errors.std(ddof=1) / np.sqrt(repetitions)
        mark = "" if abs(errors.mean()) <= 2 * error else " (!)"
        print(f"| {outcome} | {rho} | {world} | {errors.mean():+.5f} ± {error:.5f}{mark} |", flush=True)


def choosing(repetitions: int, worlds: Sequence[str]) -> None:
    """Bias of the three numbers after choosing the best of 24."""
    print(f"{EXPERIMENTS} experiments, {QUERIES} queries, {repetitions:,} sweeps a row; mean error ± standard error\n")
    print(
        "| outcome | ρ | world | best observed | confirmed | expected gain (half-splits) |\n|---|---|---|---|---|---|"
    )
    for seed, (outcome, rho, world) in enumerate(CHOOSING):
        if world not in worlds:
            continue
        errors = choosing_errors(outcome, rho, WORLDS[world], repetitions, seed)
        mean, error = errors.mean(axis=0), errors.std(axis=0, ddof=1) / np.sqrt(repetitions)
        confirmed = "" if abs(mean[1]) <= 2 * error[1] else " (!)"
        expected = "" if -0.010 <= mean[2] <= 0.002 else " (!)"
        cells = [f"{m:+.4f} ± {e:.4f}{mark}" for m, e, mark in zip(mean, error, ("", confirmed, expected), strict=True)]
        print(f"| {outcome} | {rho} | {world} | {' | '.join(cells)} |", flush=True)


def _cell(share: float, low: float, high: float) -> str:
    return "too few differ" if np.isnan(share) else f"{share:.1%}{'' if low <= share <= high else ' (!)'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("families", "coverage", "choosing", "confirmed"))
    parser.add_argument("--repetitions", type=int, default=10_000)
    parser.add_argument("--sweeps", type=Path, nargs="+")
    parser.add_argument("--worlds", nargs="+", choices=tuple(WORLDS), default=tuple(WORLDS))
    asked = parser.parse_args()
    if asked.what == "families":
        families(asked.repetitions, asked.worlds)
    elif asked.what == "choosing":
        choosing(asked.repetitions, asked.worlds)
    elif asked.what == "confirmed":
        confirmed(asked.repetitions)
    elif asked.sweeps is None:
        parser.error("coverage needs --sweeps")
    else:
        coverage(asked.repetitions, asked.sweeps)


if __name__ == "__main__":
    main()
