"""The three numbers of choosing the best, each under its own name: as rows of a table, and as sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from pipeline.records import Comparison, Confirmed, Interval, Standing


class Number(NamedTuple):
    """One of the three numbers: a gain over the baseline."""

    number: str  # best observed | confirmed | cross-validated | expected gain
    experiment: str  # several where every fold chose its own; "" = whichever is chosen
    baseline: str
    queries: int | None  # it is measured on; None = all, by halves
    gain: float
    interval: Interval | None
    p: float | None  # best observed: corrected; confirmed: one comparison, nothing to correct
    verdict: str
    note: str


Names = Callable[[str, str], tuple[str, str]]  # what a treatment and the baseline are called


def three_numbers(standing: Standing) -> tuple[Number, ...]:
    """What is known of the best: observed always, confirmed or cross-validated with a split, expected where it is.

    Empty where nothing can be chosen: no value, or one experiment alone.
    """
    of_best = _of_best(standing)
    if of_best is None and (standing.best != standing.baseline or len(standing.means) < 2):
        return ()
    base = standing.baseline
    rows = [_observed(standing, of_best), *_confirmed(standing)]
    if (folds := standing.cross_validated) is not None:
        chosen = " ".join(f"{name}:{count}" for name, count in Counter(folds.chosen).most_common())
        note = f"chosen anew in each of {len(folds.chosen)} folds; the interval takes the choices as given"
        rows.append(Number("cross-validated", chosen, base, None, folds.gain, folds.interval, None, "", note))
    if standing.expected_gain_mean is not None:
        note = "of choosing this way, with half of the queries: slightly low"
        gain = standing.expected_gain_mean
        rows.append(Number("expected gain", "", base, None, gain, standing.expected_gain, None, "", note))
    return tuple(rows)


def _of_best(standing: Standing) -> Comparison | None:
    found = (c for c in standing.comparisons if c.measure == standing.primary and c.treatment == standing.best)
    return next(found, None)


def _observed(standing: Standing, c: Comparison | None) -> Number:
    best, base, note = standing.best, standing.baseline, "too high: chosen for being high"
    if c is None:
        return Number("best observed", best, base, None, 0.0, None, None, "baseline", "the baseline itself")
    return Number("best observed", best, base, c.queries, c.difference, c.t_interval, c.p_corrected, c.verdict, note)


def _confirmed(standing: Standing) -> list[Number]:
    found = standing.confirmed
    if found is None:
        return []
    base, c = standing.baseline, found.comparison
    chosen_on = f"chosen on {found.select_queries} other queries"
    note = "; ".join(filter(None, (chosen_on, found.note, c.note if c else "")))
    if c is None:
        gain = 0.0 if found.chosen == base else float("nan")
        verdict = "baseline" if found.chosen == base else "undefined"
        return [Number("confirmed", found.chosen, base, found.confirm_queries, gain, None, None, verdict, note)]
    leading = c.interval or c.t_interval
    return [Number("confirmed", c.treatment, base, c.queries, c.difference, leading, c.p, c.verdict, note)]


def confirmed_sentences(standing: Standing, found: Confirmed, names: Names) -> list[str]:
    """The verdict of a holdout: the confirm part alone speaks; the other two numbers follow under their names."""
    lines = [_headline(found, found.comparison, names(found.chosen, standing.baseline))]
    if found.note:
        lines.append(f"{found.note[0].upper()}{found.note[1:]}; only new queries confirm afresh.")
    if found.comparison is not None and "smaller than the margin" in found.comparison.note:
        lines.append("The gain is real but small: it may not be worth its cost.")
    best = _of_best(standing)
    if best is not None:
        name, _ = names(best.treatment, best.baseline)
        lines.append(f"Best observed, on all queries: {name} {best.difference:+.3f}; too high, chosen for being high.")
    if standing.expected_gain is not None and standing.expected_gain_mean is not None:
        lines.append(
            f"Expected gain of choosing this way: {standing.expected_gain_mean:+.3f} {_ends(standing.expected_gain)}."
        )
    return lines


def _headline(found: Confirmed, c: Comparison | None, names: tuple[str, str]) -> str:
    chosen, baseline = names
    if c is None and found.chosen == baseline:
        return f"Keep {baseline}: it leads on the {found.select_queries} queries to choose on; nothing to confirm."
    if c is None:
        return f"{chosen} is not confirmed: it has no value on the {found.confirm_queries} queries kept to confirm."
    others = f"{c.queries} queries that did not choose it"
    number = f"{c.difference:+.3f} {c.measure} {_ends(c.interval or c.t_interval)}"
    word = "reused, " if found.note else ""
    if c.verdict == "better":
        return f"Ship {chosen} over {baseline}: {word or 'confirmed '}{number} on {others} ({_p(c.p)})."
    if c.verdict == "worse":
        return f"Keep {baseline}: {chosen} was chosen, but is worse: {word}{number} on {others} ({_p(c.p)})."
    decides = f" ({_p(c.p)}{', which decides' if 'disagree' in c.note else ''})" if c.verdict == "cannot tell" else ""
    return f"{chosen} is not confirmed against {baseline}: {word}{number} on {others}: {c.verdict}{decides}."


def folds_sentence(standing: Standing, name: Callable[[str], str]) -> list[str]:
    """What k folds say of the whole choice; empty without them."""
    found = standing.cross_validated
    if found is None:
        return []
    chosen = ", ".join(f"{name(each)} in {count}" for each, count in Counter(found.chosen).most_common())
    return [
        f"Cross-validated gain of choosing this way: {found.gain:+.3f} {_ends(found.interval)} over"
        f" {name(standing.baseline)}; of {len(found.chosen)} folds it chose {chosen}."
    ]


def _ends(interval: Interval) -> str:
    return f"[{interval.low:+.3f}, {interval.high:+.3f}]"


def _p(value: float) -> str:
    return f"p = {value:.3f}" if value >= 0.001 else "p < 0.001"
