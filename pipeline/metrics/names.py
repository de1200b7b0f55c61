"""Names of measures: `nDCG@10`, `P(rel=2)@5`, `R@2048tok`, and the words MLflow allows: `ndcg_at_10`, `map`."""

from __future__ import annotations

import difflib
import re
from dataclasses import replace

from pipeline.errors import SettingError
from pipeline.metrics.catalogue import FAMILIES, AnyFamily, Param
from pipeline.metrics.measure import Counted, Measure, Value, shown

_NAME = re.compile(r"(?P<name>[A-Za-z_]+)(?:\((?P<params>[^()]*)\))?(?:@(?P<cutoff>\d+)(?P<tokens>tok)?)?")
_CUT = re.compile(r"(?P<rest>.+?)(?:_at_(?P<cutoff>\d+)(?P<tokens>tok)?)?")


def parse(name: str, *, scale_later: bool = False) -> Measure:
    """The measure that `name` names, in either spelling. SettingError names the nearest known one.

    `scale_later`: a missing highest grade is no error; `scaled` puts it in once the dataset is known.
    """
    text = name.strip()
    match = _NAME.fullmatch(text)
    if match:
        counted: Counted = "tokens" if match["tokens"] else "ranks"
        family = FAMILIES.get((match["name"], counted))
        if family:
            given = _given(text, match["params"] or "")
            return _build(text, family, (match["cutoff"], counted), given, scale_later=scale_later)
    found = _parse_word(text, scale_later=scale_later)
    if found is None:
        raise SettingError(f"measure {name!r} is not known; nearest: {_nearest(text)}")
    return found


def scaled(measure: Measure, highest: int) -> Measure:
    """The measure with `highest` as the highest grade of the scale, where it needs one and has none: ERR(max=3)@10."""
    lacking = [
        param.name
        for param in FAMILIES[measure.name, measure.counted].params
        if param.of_scale and param.name not in dict(measure.params)
    ]
    params = sorted([*measure.params, *((name, highest) for name in lacking)])
    return replace(measure, params=tuple(params))


def word(measure: Measure) -> str:
    """The same name in letters, digits, `_`, `-` and `.` alone; `parse` reads it back."""
    family = FAMILIES[measure.name, measure.counted]
    cut = "" if measure.cutoff is None else f"_at_{measure.cutoff}{'tok' if measure.counted == 'tokens' else ''}"
    return (
        family.word
        + "".join(f"_{key}" if value is True else f"_{key}{shown(value)}" for key, value in measure.params)
        + cut
    )


def _given(text: str, inner: str) -> dict[str, str]:
    """`rel=2,judged_only=True` as a dictionary."""
    given: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in inner.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or key in given:
            raise SettingError(f"measure {text!r}: {part!r} should be one name=value; example: P(rel=2)@5")
        given[key] = value
    return given


def _build(
    text: str, family: AnyFamily, cut: tuple[str | None, Counted], given: dict[str, str], *, scale_later: bool
) -> Measure:
    """The measure, checked against its family; `cut` is the cutoff and what it counts."""
    cutoff, counted = cut
    if cutoff is None and family.cutoff == "required":
        raise SettingError(f"measure {text!r} needs a cutoff: {text}@10")
    if cutoff is not None and family.cutoff == "none":
        raise SettingError(f"measure {text!r}: {family.name} takes no cutoff; write {family.name}")
    unknown = sorted(set(given) - {param.name for param in family.params})
    if unknown:
        known = ", ".join(param.name for param in family.params) or "none"
        raise SettingError(f"measure {text!r}: {family.name} has no parameter {unknown[0]!r}; it has: {known}")
    params = []
    for param in sorted(family.params, key=lambda one: one.name):
        value = param.default if param.name not in given else _value(text, param, given[param.name])
        if value is None and param.of_scale and scale_later:
            continue
        if value is None:
            raise SettingError(f"measure {text!r} needs {param.name}=…: {family.name}({param.name}={param.example})@10")
        if value != param.default:
            params.append((param.name, value))
    return Measure(family.name, None if cutoff is None else int(cutoff), tuple(params), counted)


def _value(text: str, param: Param, given: str) -> Value:
    """One parameter's value, in its kind and range."""
    try:
        if param.kind is bool:
            return {"True": True, "False": False}[given]
        value = param.kind(given)
    except (KeyError, ValueError):
        raise SettingError(f"measure {text!r}: {param.name} must be {param.kind.__name__}; got {given!r}") from None
    if not param.low <= value <= param.high:
        raise SettingError(f"measure {text!r}: {param.name} must lie in [{param.low:g}, {param.high:g}]; got {given}")
    return value


def _parse_word(text: str, *, scale_later: bool) -> Measure | None:
    """The measure of an MLflow word, None if it is none."""
    match = _CUT.fullmatch(text)
    if match is None:
        return None
    counted: Counted = "tokens" if match["tokens"] else "ranks"
    for (_, counts), family in FAMILIES.items():
        tail = match["rest"].removeprefix(family.word)
        if counts != counted or not match["rest"].startswith(family.word):
            continue
        given = _word_params(family, tail)
        if given is not None:
            return _build(text, family, (match["cutoff"], counted), given, scale_later=scale_later)
    return None


def _word_params(family: AnyFamily, tail: str) -> dict[str, str] | None:
    """`_judged_only_rel2` as a dictionary, None if it does not fit the family."""
    given: dict[str, str] = {}
    for param in sorted(family.params, key=lambda one: one.name):
        pattern = f"_{param.name}" + ("" if param.kind is bool else r"([0-9]+(?:\.[0-9]+)?)")
        match = re.match(pattern, tail)
        if match:
            given[param.name] = "True" if param.kind is bool else match[1]
            tail = tail[match.end() :]
    return None if tail else given


def _nearest(text: str) -> str:
    """Up to three known names, with the cutoff that was asked for where they take one."""
    match = re.match(r"([A-Za-z_]*?)(_at_|@|\(|$)(.*)", text)
    head, cut = (match[1].lower(), match[3]) if match else (text.lower(), "")
    digits = re.search(r"(\d+)(tok)?", cut)
    asked: Counted = "tokens" if digits and digits[2] else "ranks"
    spelled: dict[str, tuple[str, Counted]] = dict.fromkeys(("hit", "hits", "hit_rate"), ("Success", "ranks"))
    spelled["f1"] = ("SetF", "ranks")
    for key, family in sorted(FAMILIES.items(), key=lambda item: item[0][1] == asked):  # the asked kind wins
        spelled |= {family.name.lower(): key, family.word: key}
    close = difflib.get_close_matches(head, spelled, n=3, cutoff=0.4) or ["ndcg", "recall", "map"]
    if head in spelled:
        close = [head]
    number = digits[1] if digits else "10"
    return ", ".join(dict.fromkeys(_shown(spelled[one], number) for one in close))


def _shown(key: tuple[str, Counted], number: str) -> str:
    """A member of a family as an example."""
    family = FAMILIES[key]
    needed = ",".join(f"{param.name}={param.example}" for param in family.params if param.default is None)
    name = family.name + (f"({needed})" if needed else "")
    return name if family.cutoff == "none" else f"{name}@{number}{'tok' if key[1] == 'tokens' else ''}"
