"""python -m pipeline.citations check|report answers.jsonl: do the formats fit, and how do the answers cite?

check    match rate, formats found, near misses; exit 2 where the formats find nothing though citations stand there
report   the same look first, then every measure with its interval, also of scores and right answers that the lines
         hold, and what went wrong
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.answers.flags import add_flags, settings_of
from pipeline.citations import FORMATS, Preflight
from pipeline.errors import PipelineError, SettingError

if TYPE_CHECKING:
    from pipeline.citations import CitationSummary, FailureTable


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code: 0, 2 where formats or files do not fit, 3 for the machine."""
    options = _parser().parse_args(arguments)
    try:
        return _report(options) if options.verb == "report" else _check(options)
    except PipelineError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pipeline.citations", description=__doc__.splitlines()[0])
    parser.add_argument("verb", choices=("check", "report"))
    parser.add_argument("answers", type=Path, metavar="ANSWERS", help="JSONL: answer and context, one object a line")
    parser.add_argument("--sample", type=int, default=200, help="answers that check looks at")
    parser.add_argument("--seed", type=int, default=0, help="of the intervals of report")
    parser.add_argument("--json", action="store_true", help="the finding as one JSON object")
    add_flags(parser)
    return parser


def _check(options: argparse.Namespace) -> int:
    from pipeline.answers.files import stream_answers
    from pipeline.answers.preflight import look, refuse

    if options.sample < 1:
        raise SettingError(f"--sample {options.sample}: expected 1 or more answers")
    found = look(stream_answers(options.answers), settings_of(options), options.sample)
    if options.json:
        sys.stdout.write(json.dumps(_as_json(found), ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("\n".join(_lines(found, str(options.answers))) + "\n")
    refuse(found, str(options.answers))
    return 0


def _report(options: argparse.Namespace) -> int:
    import numpy as np

    from pipeline.answers.files import read_answers
    from pipeline.answers.measures import Case, answer_table, beside
    from pipeline.answers.output import summary_row
    from pipeline.answers.preflight import must_fit
    from pipeline.answers.reading import cited
    from pipeline.answers.remarks import remarks
    from pipeline.answers.support import Texts, checked
    from pipeline.citations import failure_table, failures_of, summary

    settings = settings_of(options)
    answers = read_answers(options.answers)
    must_fit(answers.answers, settings, str(options.answers))
    texts = Texts(language=settings.language)
    read = [cited(one, settings) for one in answers.answers]
    cases = [Case(*one, checked(*one, texts)) for one in zip(answers.answers, read, strict=True)]
    scores = answer_table(cases, beside(answers.answers))
    found = summary([one.report for one in read], np.random.default_rng(options.seed), table=scores)
    table = failure_table([failures_of(case.cited.report, context=case.answer.context) for case in cases])
    said = remarks(answers, answers.answers, read)
    if options.json:
        row = {**summary_row(found), "failures": dict(table.counts), "without_failure": table.clean, "notes": said}
        sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("\n".join(_report_lines(found, table, said, str(options.answers))) + "\n")
    return 0


def _report_lines(found: CitationSummary, table: FailureTable, said: Sequence[str], path: str) -> Iterator[str]:
    from pipeline.report.text import labelled

    yield f"{path}  {found.answers} answers  {_counts(found.states)}"
    yield ""
    yield f"{'measure':28}{'mean':>7}  {'95 % interval':17}{'micro':>7}  answers"
    for name, mean in found.means.items():
        if mean.defined:
            micro = "" if math.isnan(mean.micro) else f"{mean.micro:.3f}"
            ends = "" if mean.defined < 2 else f"[{mean.interval.low:.3f}, {mean.interval.high:.3f}]"
            yield f"{name:28}{mean.macro:7.3f}  {ends:17}{micro:>7}  {mean.defined}"
    nowhere = [name for name, mean in found.means.items() if not mean.defined]
    if nowhere:
        yield from labelled("no answer has", ", ".join(nowhere), 15)
    yield ""
    yield f"without a failure {table.clean} of {table.answers}"
    yield from (f"  {name:18}{count:5}" for name, count in table.counts.items() if count)
    for line in said:
        yield from labelled("", line, 2)


def _lines(found: Preflight, path: str) -> Iterator[str]:
    from pipeline.report.text import labelled

    rate = "" if math.isnan(found.match_rate) else f" ({found.match_rate:.0%})"
    yield f"{path}  {found.answers} answers that say something, {found.matched} with citations{rate}"
    for name, count in found.by_format.items():
        yield f"  {name:16}{count:6}  {FORMATS[name]}"
    for line in found.warnings:
        yield from labelled("", line, 2)
    if not found.problem and not found.warnings:
        yield "the formats fit" if found.matched else "no citations, and nothing that looks like one"


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def _as_json(found: Preflight) -> dict[str, object]:
    rate = None if math.isnan(found.match_rate) else found.match_rate
    return {**found.__dict__, "match_rate": rate, "warnings": list(found.warnings), "fits": not found.problem}


if __name__ == "__main__":
    sys.exit(main())
