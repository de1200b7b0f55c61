"""The verdict in words: the one source of the VERDICT lines of the terminal, the MLflow note and the CSV."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import wrap

from pipeline.records import Comparison, Scalar, Standing
from pipeline.stats.choice import confirmed_sentences, folds_sentence

WIDTH = 69  # what is left of 80 columns beside the label
FAR = 20  # times as many queries: beyond that a number is no help
SHOWN = 4  # configurations named in one sentence


@dataclass(frozen=True)
class Speaker:
    """How experiments are called: by a description, or by the one setting in which two differ, or by name."""

    descriptions: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Mapping[str, Scalar]] = field(default_factory=dict)

    def name(self, name: str) -> str:
        """What one experiment is called."""
        return self.descriptions.get(name, name)

    def both(self, one: str, other: str) -> tuple[str, str]:
        """What two experiments are called where only they are spoken of: the one setting that differs, if it is one."""
        differing = self._differing(one, other)
        if len(differing) != 1:
            return self.name(one), self.name(other)
        return str(self.settings[one][differing[0]]), str(self.settings[other][differing[0]])

    def shipped(self, one: str, other: str) -> tuple[str, str]:
        """As `both`, if that says which experiments are meant: no third one has the same setting."""
        for name, short in zip((one, other), self.both(one, other), strict=True):
            namesakes = [n for n, own in self.settings.items() if n != name and short in map(str, own.values())]
            if namesakes:
                return self.name(one), self.name(other)
        return self.both(one, other)

    def unit(self, one: str, other: str) -> str:
        """` tokens` where two experiments differ in the chunk size alone."""
        return " tokens" if self._only("chunk_size", one, other) else ""

    def _only(self, key: str, one: str, other: str) -> bool:
        return self._differing(one, other) == [key]

    def _differing(self, one: str, other: str) -> list[str]:
        ours, theirs = self.settings.get(one, {}), self.settings.get(other, {})
        return sorted(key for key in ours if key in theirs and ours[key] != theirs[key])


def verdict(
    standing: Standing,
    *,
    descriptions: Mapping[str, str] | None = None,
    settings: Mapping[str, Mapping[str, Scalar]] | None = None,
    cautions: Sequence[str] = (),
) -> tuple[str, ...]:
    """Sentences on what to ship and what the data cannot settle, in lines of at most 69 characters.

    `descriptions`: experiment -> what to call it; `settings`: experiment -> its settings, so that two that differ in
    one of them are told apart by it ("256 or 512 tokens?"). `cautions` follow, wrapped alike.
    """
    speaker = Speaker(descriptions or {}, settings or {})
    found = standing.confirmed
    first = _first(standing, speaker) if found is None else confirmed_sentences(standing, found, speaker.shipped)
    rivals = _rivals(standing, speaker) if found is None or found.chosen == standing.best else []
    folds = folds_sentence(standing, speaker.name)
    sentences = [*first, *folds, *rivals, *standing.notes, *cautions]
    return tuple(line for sentence in sentences for line in wrap(sentence, WIDTH, break_on_hyphens=False))


def shipped(standing: Standing) -> Comparison | None:
    """The best of those that are shown to beat the baseline on all queries; None = none is."""
    better = (c for c in standing.comparisons if c.measure == standing.primary and c.verdict == "better")
    return next(better, None)


def _first(standing: Standing, speaker: Speaker) -> list[str]:
    """What to do about the baseline."""
    primary = standing.primary
    if not standing.best:
        return [f"No verdict: {primary} is defined for no query. Judge some documents first."]
    if len(standing.means) == 1:
        return [f"Only {speaker.name(standing.best)} was run: nothing to compare it with."]
    found = [c for c in standing.comparisons if c.measure == primary]
    winner = shipped(standing)
    if not found:
        return [f"No verdict: {primary} of the baseline {speaker.name(standing.baseline)} is undefined."]
    if all(c.verdict == "identical" for c in found):
        return [f"All {len(found) + 1} configurations have the same {primary} on every query: identical."]
    return _no_winner(found, standing, speaker) if winner is None else _ship(winner, standing, speaker)


def _ship(c: Comparison, standing: Standing, speaker: Speaker) -> list[str]:
    winner, loser = speaker.shipped(c.treatment, c.baseline)
    lines = [f"Ship {winner} over {loser}: {c.difference:+.3f} {c.measure} observed{_expected(c, standing)}."]
    if c.treatment != standing.best:
        lines.append(f"{speaker.name(standing.best)} scored higher, but its gain is not settled.")
    if standing.baseline in standing.may_be_best:
        lines.append(f"Corrected for all pairs, {loser} is not ruled out as the best.")
    if "smaller than the margin" in c.note:
        lines.append("The gain is real but small: it may not be worth its cost.")
    return lines


def _expected(c: Comparison, standing: Standing) -> str:
    """The gain to expect beside the observed one of the best, which is too high for having been chosen."""
    gain = standing.expected_gain_mean
    if gain is None or c.treatment != standing.best:
        return ""
    return f", about {round(gain, 2) + 0.0:+.2f} expected after choosing the best of {len(standing.means)}"


def _no_winner(found: Sequence[Comparison], standing: Standing, speaker: Speaker) -> list[str]:
    """Nothing is settled to be better than the baseline."""
    if standing.best != standing.baseline:
        best = next(c for c in found if c.treatment == standing.best)
        return [f"Nothing is shown to beat the baseline {speaker.name(standing.baseline)}.", *_open(best, speaker)]
    lines = [f"Keep {speaker.name(standing.baseline)}: nothing beats it on this data."]
    for c in found[:SHOWN]:
        lines += _behind(c, speaker)
    if len(found) > SHOWN:
        lines.append(f"{len(found) - SHOWN} more are behind it.")
    return lines


def _behind(c: Comparison, speaker: Speaker) -> list[str]:
    """A treatment that scored no higher than the baseline."""
    treatment, baseline = speaker.both(c.treatment, c.baseline)
    if c.verdict == "worse":
        return [f"{treatment} is worse than {baseline}: {c.difference:+.3f} {c.measure}."]
    if c.verdict == "cannot tell":
        return [f"{treatment} does not win over {baseline}: {c.difference:+.3f} {c.measure}. {_cannot(c)}"]
    return _open(c, speaker)


def _open(c: Comparison, speaker: Speaker) -> list[str]:
    """What is known of a difference that is not settled."""
    treatment, baseline = speaker.both(c.treatment, c.baseline)
    known = f"{treatment} against {baseline}: {c.difference:+.3f} {c.measure} observed"
    if c.verdict == "too few queries differ":
        return [f"{known}, but too few queries differ to tell ({c.wins + c.losses} of {c.queries})."]
    if c.verdict == "too few clusters":
        return [f"{known}, for these documents only: too few clusters of queries."]
    if c.verdict in ("equivalent", "identical"):
        return [f"{known}: {c.verdict}, take the cheaper."]
    lines = [f"{known}. {_cannot(c)}"]
    if c.p_corrected is not None and c.p <= 1 - c.t_interval.level < c.p_corrected:
        lines.append(f"Tried alone it would count (p = {c.p:.3f}); corrected for all tried, {c.p_corrected:.3f}.")
    return lines


def _rivals(standing: Standing, speaker: Speaker) -> list[str]:
    """Which other experiments may be the best, and what it would take to know."""
    rivals = [
        c for c in standing.rivals if standing.baseline not in (c.baseline, c.treatment) and c.verdict != "identical"
    ]
    if len(rivals) > 2:
        names = [speaker.name(c.baseline) for c in rivals[:SHOWN]]
        more = f" and {len(rivals) - SHOWN} more" if len(rivals) > SHOWN else ""
        best = speaker.name(rivals[0].treatment)
        return [f"{len(rivals)} others may be as good as {best}: {', '.join(names)}{more}. {_cannot(rivals[0])}"]
    return [_question(c, speaker) for c in rivals]


def _question(c: Comparison, speaker: Speaker) -> str:
    best, rival = speaker.both(c.treatment, c.baseline)
    asked = f"{best} or {rival}{speaker.unit(c.treatment, c.baseline)}?"
    if c.verdict == "worse":
        return f"{asked} On the {c.queries} queries where both are defined {rival} is better."
    if c.verdict == "equivalent":
        return f"{asked} Equivalent in {c.measure} ({abs(c.difference):.3f} apart): take the cheaper."
    if c.verdict == "too few queries differ":
        return f"{asked} Only {c.wins + c.losses} of {c.queries} queries differ: too few to tell."
    if c.verdict == "too few clusters":
        return f"{asked} Too few clusters of queries to tell: for these documents only."
    return f"{asked} {_cannot(c)}"


def _cannot(c: Comparison) -> str:
    if c.queries_needed is not None and c.queries_needed > FAR * c.queries:
        return f"These {c.queries} queries cannot settle it, nor would {FAR} times as many."
    would = "" if c.queries_needed is None else f": ~{_rounded(c.queries_needed)} would"
    return f"These {c.queries} queries cannot settle it{would}."


def _rounded(number: int) -> str:
    """Two significant digits, rounded up, with thousands marked."""
    unit = 10 ** max(len(str(number)) - 2, 0)
    return f"{-(-number // unit) * unit:,}"
