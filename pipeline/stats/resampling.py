"""The one engine: sign flips and bootstrap weights, drawn once for a whole sweep and applied by matrix products.

One row of signs (or of weights) serves every pair and every measure: a flip of a query is common to all pairs, which
keeps their correlation. Rows come in blocks of fixed length from one stream that depends on the seed alone.
Source: the sign-flip test of Fisher (1935) in the form of Romano (1989); the bootstrap of Efron (1979).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pipeline.records import Floats, Longs
from pipeline.stats.binary import mcnemar
from pipeline.stats.pairing import Pairs

ROWS = 64  # resamples drawn at a time: small enough to stay in the processor's cache
EXACT = 13  # up to so many differing units all 2**13 sign patterns are enumerated
FLIPS, WEIGHTS = 1, 2  # the two streams of one seed
TIE = 1e-9  # of a statistic: weighted sums are rounded, and flips that tie with what was observed count as extreme


def sign_blocks(seed: int, units: int, flips: int) -> Iterator[Floats]:
    """Random signs, float64 (rows, units) of +1 and -1, `flips` rows in all."""
    rng = np.random.default_rng([seed, FLIPS])
    for start in range(0, flips, ROWS):
        draw = rng.integers(0, 256, (ROWS, (units + 7) // 8), dtype=np.uint8)
        bits = np.unpackbits(draw, axis=1, count=units)[: flips - start]
        yield 2 * bits.astype(np.float64) - 1


def every_sign(units: int) -> Floats:
    """All sign patterns of so many units, float64 (2**units, units); the first leaves everything as it is."""
    bits = np.arange(1 << units)[:, None] >> np.arange(units) & 1
    return 1 - 2 * bits.astype(np.float64)


def index_blocks(seed: int, units: int, resamples: int) -> Iterator[Longs]:
    """Resampled positions of units, int64 (rows, units), drawn with replacement, `resamples` rows in all."""
    rng = np.random.default_rng([seed, WEIGHTS])
    for start in range(0, resamples, ROWS):
        yield rng.integers(0, units, (ROWS, units))[: resamples - start]


def weight_blocks(seed: int, units: int, resamples: int) -> Iterator[Floats]:
    """How often each unit is in each resample, float64 (rows, units)."""
    for index in index_blocks(seed, units, resamples):
        shifted = index + (np.arange(len(index)) * units)[:, None]
        yield np.bincount(shifted.ravel(), minlength=index.size).reshape(index.shape).astype(np.float64)


def resampled(rows: Sequence[Floats], seed: int, resamples: int) -> list[Floats]:
    """Weighted sums of every row in every resample: for each (c, units) matrix a (c, resamples) one."""
    joined = np.vstack(rows)
    total = np.empty((joined.shape[0], resamples))
    done = 0
    for weights in weight_blocks(seed, joined.shape[1], resamples):
        total[:, done : done + len(weights)] = joined @ weights.T
        done += len(weights)
    return np.split(total, np.cumsum([len(part) for part in rows])[:-1])


class FlipTest:
    """T = sum(D) / sqrt(sum(D**2)) of every pair, and its values under common sign flips of the units.

    The denominator does not change under flips, so |T| orders flips as |sum(D)| does and is on one scale for all pairs.
    Where queries have weights, D is weight x difference. Pairs without any difference have T = 0. With at most EXACT
    differing units all patterns are used, once each.
    """

    def __init__(self, pairs: Pairs, seed: int, flips: int) -> None:
        self.differences = pairs.of(pairs.sums)  # (pairs, units)
        scale = np.sqrt((self.differences * self.differences).sum(axis=1, keepdims=True))
        self.scale = np.where(scale > 0, scale, 1.0)
        self.slack = 1 - TIE if pairs.weighted else 1.0
        self.observed = self._statistic(self.differences.sum(axis=1, keepdims=True))[:, 0] * self.slack
        active = (self.differences != 0).any(axis=0)
        units = int(active.sum())
        self.exact = units <= EXACT
        self.total = 1 << units if self.exact else flips
        self._pairs, self._sums, self._seed = pairs, pairs.sums[:, active], seed

    def _statistic(self, sums: Floats) -> Floats:
        statistic = np.abs(sums)
        statistic /= self.scale
        return statistic

    def blocks(self) -> Iterator[Floats]:
        """|T| of every pair under flips: (pairs, rows)."""
        units = self._sums.shape[1]
        draws = iter([every_sign(units)]) if self.exact else sign_blocks(self._seed, units, self.total)
        for signs in draws:
            yield self._statistic(self._pairs.of(self._sums @ signs.T))

    def share(self, at_least: Floats | Longs) -> Floats:
        """The p from counts of flips at least as extreme: never 0, since what was observed counts as one of them."""
        return at_least / self.total if self.exact else (1 + at_least) / (1 + self.total)

    def plain_p(self) -> Floats:
        """Two-sided p of every pair by itself; exact for pairs with at most EXACT differing units."""
        p = self.share(sum((block >= self.observed[:, None]).sum(axis=1) for block in self.blocks()))
        return p if self.exact else self.refined(p)

    def refined(self, p: Floats) -> Floats:
        """`p` with exact values where they are cheap: few differing units, or differences of one size.

        With differences of one size, as of 0/1 measures, the flips are a binomial: the exact test of McNemar (1947).
        """
        sizes = np.abs(self.differences)
        wins, losses = (self.differences > 0).sum(axis=1), (self.differences < 0).sum(axis=1)
        one_size = ((sizes == sizes.max(axis=1, initial=0.0, keepdims=True)) | (sizes == 0)).all(axis=1)
        for pair in np.flatnonzero(one_size):
            p[pair] = mcnemar(int(wins[pair]), int(losses[pair]))
        for pair in np.flatnonzero(~one_size & (wins + losses <= EXACT)):
            row = self.differences[pair, sizes[pair] > 0]
            p[pair] = (np.abs(every_sign(row.size) @ row) >= abs(row.sum()) * self.slack).mean()
        return p
