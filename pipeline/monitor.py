"""python -m pipeline.monitor ANSWERS...: scores the citations of new production answers, alarms when they get worse.

Exit codes: 0 nothing got worse; 1 an alarm that was not there before; 2 bad input, or no new line with an answer;
3 environment; 4 what there is to tell did not reach the web hook, MLflow or the report.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.answers.flags import add_flags, settings_of
from pipeline.errors import EnvironmentFault, PipelineError

if TYPE_CHECKING:
    from pipeline.monitoring.history import History
    from pipeline.monitoring.watching import Alarm, Finding, Watch

SHOWN = 100  # characters of an answer beside an alarm
SEEN = 20  # expected answers in a sample that holds none: a chance of 2 in a billion


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        return _monitor(options)
    except PipelineError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; what was scored is kept, and the next run goes on behind it\n")
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pipeline.monitor", description=__doc__.splitlines()[0])
    parser.add_argument("answers", nargs="+", metavar="ANSWERS", help="JSONL files, folders of them, or - for stdin")
    parser.add_argument("--history", type=Path, default=Path("outputs/monitor.db"), help="SQLite file, append-only")
    size = parser.add_argument_group("batches and baseline")
    size.add_argument("--batch", type=int, default=200, help="scored answers a batch")
    size.add_argument("--baseline", type=int, default=5, help="batches that say what is normal")
    size.add_argument("--baseline-from", default="", metavar="TIME", help="ISO 8601: what is normal begins then")
    size.add_argument("--minimum", type=int, default=20, help="answers a batch needs to be judged")
    size.add_argument("--wander", type=float, default=0.02, help="expected scatter of the level from batch to batch")
    size.add_argument("--false-alarms", type=float, default=0.008, help="share of normal batches that may alarm")
    sample = parser.add_argument_group("sampling")
    sample.add_argument("--rate", type=float, default=1.0, help="share of the answers that is scored")
    sample.add_argument("--count", type=int, help="at most so many of the answers that are new in this run")
    sample.add_argument("--stratified", action="store_true", help="share the count out over `stratum`")
    sample.add_argument("--seed", type=int, default=0)
    add_flags(parser)
    out = parser.add_argument_group("where alarms go")
    out.add_argument("--json", action="store_true", help="the whole finding on standard output")
    out.add_argument("--report", type=Path, metavar="FOLDER", help="monitoring.png and monitoring.html")
    out.add_argument("--webhook", metavar="URL", help="posts each new alarm as JSON; https, or http to this machine")
    out.add_argument("--mlflow", metavar="URI", help="mirrors the series there, as sqlite:///outputs/mlflow.db")
    out.add_argument("--experiment", default="monitoring", help="its name in MLflow")
    return parser


def _monitor(options: argparse.Namespace) -> int:
    from pipeline.monitoring.alerts import check_hook
    from pipeline.monitoring.history import History
    from pipeline.monitoring.ingesting import ingest
    from pipeline.monitoring.watching import as_json, judged

    watch = _watch(options)
    if options.webhook:
        check_hook(options.webhook)
    with History(options.history) as history:
        lost = history.without_answer()
        added = ingest(options.answers, history, watch)
        blind = 0 < added == history.without_answer() - lost and _would_show(added, options.rate)
        finding = judged(history, watch)
        told = history.told()
        new = [alarm for alarm in finding.alarms if (alarm.series, alarm.batch) not in told]
        row = {**as_json(finding, options.history), "new": added, "new_alarms": [alarm.said for alarm in new]}
        if options.json:
            sys.stdout.write(json.dumps(row, ensure_ascii=False) + "\n")
        else:
            quiet = [] if new or blind else ["no new alarm"]
            sys.stdout.write("\n".join([*_lines(finding, new, added), *quiet]) + "\n")
        faults = _send(options, finding, new, row, history)
        for alarm in new if not faults else ():  # what did not get through is told again next time
            history.tell(alarm.series, alarm.batch, alarm.said)
    for fault in faults:
        sys.stderr.write(f"{fault}\n")
    if blind:
        sys.stderr.write(f"none of the {added} new lines holds an answer, as after a change of the logs' format\n")
    return 4 if faults else 1 if new else 2 if blind else 0


def _watch(options: argparse.Namespace) -> Watch:
    from pipeline.citations.baselines import ChartSettings
    from pipeline.monitoring.sampling import Sampling
    from pipeline.monitoring.watching import Watch

    return Watch(
        batch=options.batch,
        citations=settings_of(options),
        sampling=Sampling(options.rate, options.count, options.stratified, options.seed),
        charts=ChartSettings(options.baseline, options.minimum, options.false_alarms, options.wander),
        baseline_from=options.baseline_from,
    )


def _send(
    options: argparse.Namespace, finding: Finding, new: Sequence[Alarm], row: dict[str, object], history: History
) -> list[EnvironmentFault]:
    """Report, web hook, MLflow: each by itself, so that one that fails does not hold the others up."""
    faults: list[EnvironmentFault] = []
    if options.report:
        from pipeline.report.monitoring_page import write_monitoring

        alarms = row["alarms"] if isinstance(row["alarms"], list) else []
        try:
            write_monitoring(options.report, finding.series, finding.times, alarms, f"{finding.answers} answers scored")
        except OSError as error:
            faults.append(EnvironmentFault(f"{options.report}: the report cannot be written: {error.strerror}"))
    if options.webhook and new:
        from pipeline.monitoring.alerts import send

        said = {alarm.said for alarm in new}
        alarms = [one for one in row["alarms"] if one["said"] in said] if isinstance(row["alarms"], list) else []
        try:
            send(options.webhook, {"text": "\n".join(alarm.said for alarm in new), "alarms": alarms})
        except EnvironmentFault as fault:
            faults.append(fault)
    if options.mlflow:
        from pipeline.tracking.monitoring import mirror_series

        series = {one.name: [point.mean for point in one.points] for one in finding.series}
        last = finding.alarms[-1].said if finding.alarms else "none"
        tags = {"rag_sweep.alarm": last, "rag_sweep.state": "alarm" if new else "normal"}
        try:
            mirror_series(options.mlflow, options.experiment, history.identity, series, tags)
        except EnvironmentFault as fault:
            faults.append(fault)
    return faults


def _lines(finding: Finding, new: Sequence[Alarm], added: int) -> list[str]:
    from pipeline.report.text import labelled

    broken = finding.states.get("unreadable", 0)
    lines = labelled(
        "",
        f"{added} new lines, {finding.answers} answers in all{f', {broken} lines unreadable' if broken else ''},"
        f" {len(finding.times)} batches, {finding.waiting} waiting for the next",
        0,
    )
    for row in finding.unreadable:
        lines += labelled("unreadable", row.excerpt, 12)
    for one in finding.series:
        few = sum(point.state == "too few" for point in one.points)
        lacking = f": {few} batches too small or too early for it" if few else ""
        baseline = f"baseline not full yet{lacking}" if one.baseline is None else f"baseline {one.baseline.mean:6.1%}"
        points = [point for point in one.points if point.state in ("normal", "alarm")]
        now = f"now {points[-1].mean:6.1%} of {points[-1].count}" if points else ""
        lines.append(f"  {one.name:18} {baseline}  {now}".rstrip())
    for alarm in {alarm.series: alarm for alarm in new}.values():  # the newest of each series
        lines += labelled("ALARM", alarm.said, 7)
        for row in alarm.examples:
            lines += labelled("", f"{row.where}  {' '.join(row.excerpt.split())[:SHOWN]}", 7)
    return lines


def _would_show(lost: int, rate: float) -> bool:
    """Whether answers, had there been as many as lost lines, would not all have been left out by the sampling."""
    return rate == 1.0 or lost * rate >= SEEN


if __name__ == "__main__":
    sys.exit(main())
