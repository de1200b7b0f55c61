"""python -m pipeline.monitor: what is read, kept, found and told."""

from __future__ import annotations

import gzip
import http.server
import io
import json
import random
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from html.parser import HTMLParser
from typing import ClassVar

import pytest

from pipeline.errors import EnvironmentFault, SettingError
from pipeline.monitor import main
from pipeline.monitoring.alerts import check_hook, send
from pipeline.monitoring.history import History
from pipeline.monitoring.ingesting import ingest
from pipeline.monitoring.sampling import Sampling
from pipeline.monitoring.watching import Watch, judged
from tests.conftest import ROOT

TOPICS = ROOT / "pipeline" / "datasets" / "python_topics_data" / "answers.jsonl"
CONTEXT = ["kb-1", "kb-2", "kb-3"]


def line(i, text, **more):
    day = f"2026-01-{1 + i // 100:02d}T{i % 24:02d}:00:00Z"
    return json.dumps({"id": i, "time": day, "answer": text, "context": CONTEXT, **more}) + "\n"


def lines(count, bad=0.05, start=0, form="[{}]", seed=1):
    rng = random.Random(seed + start)
    return [
        line(i, f"So {form.format(9 if rng.random() < bad else rng.randint(1, 3))}.")
        for i in range(start, start + count)
    ]


def run(tmp_path, *arguments, batch=50):
    return main([*map(str, arguments), "--history", str(tmp_path / "h.db"), "--batch", str(batch)])


def plain(capsys):
    """What was printed, not wrapped."""
    return " ".join(capsys.readouterr().out.split())


def kept(tmp_path):
    with History(tmp_path / "h.db") as history:
        return list(history.rows())


def test_a_drop_is_told_once(tmp_path, capsys):
    file = tmp_path / "a.jsonl"
    file.write_text("".join(lines(400)))
    assert run(tmp_path, file) == 0
    with file.open("a") as stream:
        stream.writelines(lines(100, bad=0.5, start=400))
    assert run(tmp_path, file) == 1
    out = plain(capsys)
    assert re.search(r"ALARM validity of citations fell from 9\d\.\d% to \d\d\.\d% since 2026-01-0[45]", out)
    assert out.count("a.jsonl:4") + out.count("a.jsonl:5") >= 3
    assert run(tmp_path, file) == 0


def test_what_is_printed_keeps_to_80_columns_and_brings_no_escape_codes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    evil = "\x1b[2J" + "So it is, and more so than anybody thought " * 4
    rows = lines(300) + [line(i, f"{evil} [9] {i}.") for i in range(300, 350)]
    (tmp_path / "a.jsonl").write_text(
        "".join(rows) + "{broken\n" + json.dumps({"reply": "x" * 90, "context": 3}) + "\n"
    )
    assert run(tmp_path, "a.jsonl") == 1
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "\x1b" not in out
    assert "ALARM" in out


def test_the_newest_alarm_is_the_last(tmp_path):
    # the one of the last series used to be: a tag in MLflow told of something long over
    file = tmp_path / "a.jsonl"
    silent = [line(i, f"So it is, number {i}.") for i in range(300, 350)]
    file.write_text("".join([*lines(300), *silent, *lines(100, start=350), *lines(50, bad=0.9, start=450)]))
    with History(tmp_path / "h.db") as history:
        ingest([str(file)], history, Watch(batch=50))
        found = judged(history, Watch(batch=50))
    assert [(alarm.series, alarm.batch) for alarm in found.alarms] == [("cites_nothing", 6), ("citation_validity", 9)]


def test_an_alarm_shows_the_worst_answers_first(tmp_path):
    file = tmp_path / "a.jsonl"
    marks = ["[1][2][9]", "[1][9]", "[8][9]"]  # validity 2/3, 1/2, 0
    rows = [line(i, f"So {marks[i % 3]} {i}.") for i in range(300, 350)]
    file.write_text("".join([*lines(300), *rows]))
    with History(tmp_path / "h.db") as history:
        ingest([str(file)], history, Watch(batch=50))
        (alarm,) = judged(history, Watch(batch=50)).alarms
    assert [row.answer_id for row in alarm.examples] == ["302", "305", "308"]


def test_a_batch_that_begins_before_the_time_is_no_baseline(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text("".join(lines(400)))  # a day of 100 answers; batches of 40: the third spans days 1 and 2
    with History(tmp_path / "h.db") as history:
        ingest([str(file)], history, Watch(batch=40))
        found = judged(history, Watch(batch=40, baseline_from="2026-01-02"))
    assert found.times[2][0] < "2026-01-02" < found.times[2][1]
    assert found.series[0].baseline.batches == (3, 4, 5, 6, 7)


def test_a_baseline_time_that_cannot_be_used_is_said(tmp_path, capsys):
    file = tmp_path / "a.jsonl"
    file.write_text("".join(json.dumps({"answer": f"So [1], {i}.", "context": CONTEXT}) + "\n" for i in range(60)))
    assert run(tmp_path, file, "--baseline-from", "yesterday") == 2
    assert run(tmp_path, file, "--baseline-from", "2026-13-45") == 2
    assert run(tmp_path, file, "--baseline-from", "2026-01-02") == 2
    said = capsys.readouterr().err.splitlines()
    assert said[0] == "baseline_from=yesterday: expected ISO 8601, as 2025-03-01"
    assert said[2] == "baseline_from=2026-01-02: no answer in the history has a time"
    assert len(said) == 3


def test_a_gzipped_file_is_refused(tmp_path, capsys):
    # its bytes used to be counted as so many unreadable lines, and the exit code was 0
    file = tmp_path / "a.jsonl.gz"
    file.write_bytes(gzip.compress("".join(lines(60)).encode()))
    assert run(tmp_path, file) == 2
    assert capsys.readouterr().err.startswith(f"{file}: is gzipped; unpack it")


def test_a_half_written_line_waits(tmp_path):
    file = tmp_path / "a.jsonl"
    whole = lines(3)
    file.write_text(whole[0] + whole[1][:20])
    run(tmp_path, file)
    assert len(kept(tmp_path)) == 1
    with file.open("a") as stream:
        stream.write(whole[1][20:] + whole[2])
    run(tmp_path, file)
    assert [row.answer_id for row in kept(tmp_path)] == ["0", "1", "2"]
    assert [row.where.rpartition(":")[2] for row in kept(tmp_path)] == ["1", "2", "3"]


def test_a_file_that_was_replaced_is_read_again_without_doubles(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text("".join(lines(5)))
    run(tmp_path, file)
    file.write_text("".join(lines(5)[1:3] + lines(2, start=5)))
    run(tmp_path, file)
    assert [row.answer_id for row in kept(tmp_path)] == ["0", "1", "2", "3", "4", "5", "6"]


def test_the_end_of_a_line_makes_no_other_answer(tmp_path):
    (tmp_path / "unix.jsonl").write_bytes("".join(lines(3)).encode())
    (tmp_path / "windows.jsonl").write_bytes("".join(lines(3)).replace("\n", "\r\n").encode())
    run(tmp_path, tmp_path / "unix.jsonl", tmp_path / "windows.jsonl")
    assert [row.answer_id for row in kept(tmp_path)] == ["0", "1", "2"]


def test_only_what_is_new_is_counted_as_new(tmp_path, capsys):
    file = tmp_path / "a.jsonl"
    file.write_text("".join(lines(5)))
    run(tmp_path, file)
    file.write_text("".join(lines(5)[1:3] + lines(2, start=5)))
    capsys.readouterr()
    run(tmp_path, file)
    assert capsys.readouterr().out.startswith("2 new lines, 7 answers in all")


def test_files_behind_one_that_another_run_reads_are_read_too(tmp_path, monkeypatch):
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    first.write_text("".join(lines(40)))
    second.write_text("".join(lines(3, start=40)))
    monkeypatch.setattr("pipeline.monitoring.source.BLOCK", 2000)
    add, lost = History.add, []

    def other_run(self, rows, before=None, after=None):
        if not lost:  # the other run is faster by one piece
            lost.append(add(self, rows, before, after))
            return None
        return add(self, rows, before, after)

    monkeypatch.setattr(History, "add", other_run)
    run(tmp_path, first, second)
    assert [int(row.answer_id) for row in kept(tmp_path)] == list(range(43))


def test_a_history_with_alarms_of_other_limits_goes_on(tmp_path, capsys):
    # limits and baseline are worked out anew from the answers in each run: what an older version told stays told
    file = tmp_path / "a.jsonl"
    file.write_text("".join(lines(400) + lines(50, bad=0.6, start=400)))
    with History(tmp_path / "h.db") as history:
        history.tell("citation_validity", 8, "told by limits of another version")
    assert run(tmp_path, file) == 0
    with file.open("a") as stream:
        stream.writelines(lines(50, bad=0.6, start=450))
    assert run(tmp_path, file) == 1
    assert "(batch 10, " in plain(capsys)


def test_what_is_believed_of_the_level_can_be_set(tmp_path, capsys):
    # 5 batches of 95 %, then 2 of 90 %, 2.0 standard errors: news where the level stands still, none where it wanders
    file = tmp_path / "a.jsonl"
    rng = random.Random(5)
    text = [[1] * 95 + [9] * 5] * 5 + [[1] * 90 + [9] * 10] * 2
    rows = [mark for batch in text for mark in rng.sample(batch, 100)]
    file.write_text("".join(line(i, f"So [{mark}], {i}.") for i, mark in enumerate(rows)))
    assert run(tmp_path, file, batch=100) == 0
    assert run(tmp_path, file, "--wander", "0", batch=100) == 1
    assert "validity of citations fell from 95.0% to 90.0%" in plain(capsys)


def test_folders_and_standard_input_are_read(tmp_path, monkeypatch):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "b.jsonl").write_text("".join(lines(2)))
    (tmp_path / "in" / "a.jsonl").write_text("".join(lines(2, start=2)))
    run(tmp_path, tmp_path / "in")
    assert [row.answer_id for row in kept(tmp_path)] == ["2", "3", "0", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "pipeline.monitor", "-", "--history", tmp_path / "h.db", "--batch", "50"],
        input="".join(lines(3, start=4)).rstrip("\n").encode(),
        check=False,
        capture_output=True,
    )
    assert done.returncode == 0
    assert len(kept(tmp_path)) == 7


def test_a_run_that_is_interrupted_ends_with_one_line(tmp_path, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("pipeline.monitoring.watching.judged", interrupted)
    file = tmp_path / "a.jsonl"
    file.write_text("".join(lines(3)))
    assert run(tmp_path, file) == 130
    assert capsys.readouterr().err == "interrupted; what was scored is kept, and the next run goes on behind it\n"
    assert len(kept(tmp_path)) == 3


def test_batches_too_small_to_be_judged_are_refused(tmp_path, capsys):
    # batches of 12 with a minimum of 20 were never judged: "baseline not full yet" for ever, exit 0
    assert run(tmp_path, TOPICS, batch=12) == 2
    said = capsys.readouterr().err
    assert said.startswith("batch=12: below minimum=20") and said.count("\n") == 1
    assert run(tmp_path, TOPICS, "--minimum", "12", batch=12) == 0
    # each batch has answers that decline or cite nothing, which say nothing of validity
    assert "citation_validity baseline not full yet: 8 batches too small or too early for it" in plain(capsys)
    assert run(tmp_path, TOPICS, "--minimum", "6", batch=12) == 1


def test_logs_of_which_no_new_line_holds_an_answer_are_no_quiet_day(tmp_path, capsys):
    # a field that was renamed left every line without an answer, and the run ended with "no new alarm" and exit 0
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join(lines(3)) + "\n")
    assert run(tmp_path, file) == 0
    with file.open("a") as log:
        log.write('{"reply": "renamed"}\n{broken\n')
    capsys.readouterr()
    assert run(tmp_path, file) == 2
    said = capsys.readouterr()
    assert said.err == "none of the 2 new lines holds an answer, as after a change of the logs' format\n"
    assert "no new alarm" not in said.out and "malformed JSON" in " ".join(said.out.split())
    assert run(tmp_path, file) == 0  # nothing new
    alone = tmp_path / "alone.jsonl"
    alone.write_text('{"reply": "renamed"}\n')
    assert run(tmp_path / "all", alone) == 2
    assert run(tmp_path / "half", alone, "--rate", "0.5") == 0  # answers beside it may have been left out


def test_lines_that_cannot_be_used_are_counted_and_shown(tmp_path, capsys):
    file = tmp_path / "a.jsonl"
    file.write_bytes(lines(1)[0].encode() + b"{broken\n" + b'{"answer": "\xe9"}\n' + b'{"answer": NaN}\n\n')
    assert run(tmp_path, file) == 0
    assert [row.state for row in kept(tmp_path)] == ["cited", "unreadable", "unreadable", "unreadable"]
    out = plain(capsys)
    assert out.startswith("4 new lines, 1 answers in all, 3 lines unreadable, 0 batches")
    assert len(re.findall(r"a\.jsonl:2: malformed JSON", out)) == 1
    assert out.count("a.jsonl:2") == 1


def test_a_changed_format_has_an_alarm_of_its_own(tmp_path, capsys):
    file = tmp_path / "a.jsonl"
    file.write_text("".join(lines(300) + lines(50, start=300, form="({})")))
    assert run(tmp_path, file) == 1
    out = plain(capsys)
    assert "ALARM the citation format changed" in out
    assert "ALARM answers that cite nothing" not in out


def test_answers_that_stop_citing_are_no_changed_format(tmp_path, capsys):
    file = tmp_path / "a.jsonl"
    file.write_text("".join(lines(300) + [line(i, f"So it is, number {i}.") for i in range(300, 350)]))
    assert run(tmp_path, file) == 1
    out = plain(capsys)
    assert "ALARM answers that cite nothing rose from 0.0% to 100.0%" in out
    assert "format changed" not in out


def test_the_drop_of_python_topics_is_found_after_day_40_and_nothing_before(tmp_path):
    with History(tmp_path / "h.db") as history:
        watch = Watch(batch=12, charts=Watch().charts.__class__(minimum=6))
        ingest([str(TOPICS)], history, watch)
        found = judged(history, watch)
    assert found.alarms
    assert min(found.times[alarm.batch][0] for alarm in found.alarms) >= "2025-04-10"  # day 40 ends on 2025-04-09
    assert all(alarm.since >= "2025-04-08" for alarm in found.alarms)


def test_the_history_is_append_only(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text("".join(lines(3)))
    run(tmp_path, file)
    database = sqlite3.connect(tmp_path / "h.db")
    for change in ("DELETE FROM answers", "UPDATE answers SET valid = 1", "DELETE FROM positions"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            database.execute(change)


def test_a_history_of_other_settings_is_refused(tmp_path, capsys):
    file = tmp_path / "a.jsonl"
    file.write_text("".join(lines(3)))
    run(tmp_path, file)
    assert run(tmp_path, file, batch=60) == 2
    assert "begun with batch=50, now it is 60" in capsys.readouterr().err


def test_something_else_than_a_history_is_refused_in_one_line(tmp_path, capsys):
    (tmp_path / "h.db").write_text("not a database, but long enough to be read as one" * 100)
    assert run(tmp_path, TOPICS) == 2
    assert capsys.readouterr().err.count("\n") == 1


def in_blocks(size: int, tmp_path, file) -> list[str]:
    """The command that reads and stores so many bytes at a time."""
    code = (
        f"import sys; import pipeline.monitoring.source as s; s.BLOCK = {size};"
        "from pipeline.monitor import main; sys.exit(main(sys.argv[1:]))"
    )
    return [sys.executable, "-c", code, str(file), "--history", str(tmp_path / "h.db"), "--batch", "50"]


def test_a_run_that_is_killed_loses_and_doubles_nothing(tmp_path, monkeypatch):
    file = tmp_path / "a.jsonl"
    file.write_text("".join(lines(3000)))
    command = in_blocks(4000, tmp_path, file)
    stored = 0
    for wait in (0.15, 0.3, 0.2, 0.4):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and process.poll() is None and _count(tmp_path) <= stored:
            time.sleep(0.02)
        time.sleep(wait)
        process.send_signal(signal.SIGKILL)
        process.wait()
        stored = _count(tmp_path)
    assert stored > 0
    assert subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode in (0, 1)
    assert [int(row.answer_id) for row in kept(tmp_path)] == list(range(3000))


def _count(tmp_path) -> int:
    try:
        with sqlite3.connect(tmp_path / "h.db", timeout=5) as database:
            return database.execute("SELECT count(*) FROM answers").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


def test_two_runs_at_once_keep_every_answer_once(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text("".join(lines(600)))
    command = in_blocks(3000, tmp_path, file)
    runs = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(3)]
    assert {one.wait() for one in runs} <= {0, 1}
    for one in runs:
        one.stderr.close()
    assert [int(row.answer_id) for row in kept(tmp_path)] == list(range(600))


# --- sampling ---


def test_the_rate_and_the_seed_decide_which_answers_are_scored():
    items = [(f"key{i}", "", i) for i in range(2000)]
    tenth = Sampling(rate=0.1)
    chosen = tenth.chosen(items)
    assert 150 <= len(chosen) <= 250
    assert tenth.chosen(items) == chosen
    assert tenth.chosen(items[:1000]) + tenth.chosen(items[1000:]) == chosen
    assert Sampling(rate=0.1, seed=1).chosen(items) != chosen


def test_a_stratified_count_gives_small_strata_their_share():
    items = [(f"key{i}", "big" if i % 10 else "small", i) for i in range(1000)]
    chosen = Sampling(count=60, stratified=True).chosen(items)
    assert len(chosen) == 60
    assert sum(i % 10 == 0 for i in chosen) == 30
    assert sum(i % 10 == 0 for i in Sampling(count=60).chosen(items)) < 15
    few = [(f"k{i}", "a" if i < 4 else "b", i) for i in range(100)]
    chosen = Sampling(count=20, stratified=True).chosen(few)
    assert [sum(i < 4 for i in chosen), len(chosen)] == [4, 20]


def test_a_count_takes_the_lowest_draws_however_many_there_are():
    items = [(f"key{i}", "", i) for i in range(500)]
    counted = Sampling(count=7, rate=0.5, seed=3)
    lowest = sorted((i for i in range(500) if counted.draw(f"key{i}") < 0.5), key=lambda i: counted.draw(f"key{i}"))
    assert counted.chosen(iter(items)) == sorted(lowest[:7])


def sampled(tmp_path, *arguments):
    before = {row.answer_id for row in kept(tmp_path)}
    run(tmp_path, *arguments)
    return [row for row in kept(tmp_path) if row.answer_id not in before]


def test_a_count_holds_for_a_run_however_many_files_and_blocks_it_reads(tmp_path, monkeypatch):
    # a count of each block of a file used to be scored: 3 files of 15 blocks gave 45 times as many
    monkeypatch.setattr("pipeline.monitoring.source.BLOCK", 2000)
    (tmp_path / "in").mkdir()
    for i in range(3):
        (tmp_path / "in" / f"{i}.jsonl").write_text("".join(lines(300, start=300 * i)))
    assert len(sampled(tmp_path, tmp_path / "in", "--count", "40")) == 40
    assert sampled(tmp_path, tmp_path / "in", "--count", "40") == []
    with (tmp_path / "in" / "2.jsonl").open("a") as stream:
        stream.writelines(lines(100, start=900))
    fresh = sampled(tmp_path, tmp_path / "in", "--count", "40")
    assert len(fresh) == 40
    assert all(int(row.answer_id) >= 900 for row in fresh)


def test_a_stratified_count_is_shared_out_over_all_files(tmp_path):
    for name, few in (("a", "de"), ("b", "fr")):
        rows = [line(i, f"So [1], {name}{i}.", stratum=few if i < 20 else "en") for i in range(200)]
        (tmp_path / f"{name}.jsonl").write_text("".join(rows))
    fresh = sampled(tmp_path, tmp_path / "a.jsonl", tmp_path / "b.jsonl", "--count", "30", "--stratified")
    assert sorted(row.stratum for row in fresh) == ["de"] * 10 + ["en"] * 10 + ["fr"] * 10


def test_what_comes_while_a_count_is_drawn_waits_for_the_next_run(tmp_path, monkeypatch):
    file = tmp_path / "a.jsonl"
    file.write_text("".join(lines(100)))
    drawn = Sampling.chosen

    def grown(self, items):
        found = drawn(self, items)
        with file.open("a") as stream:
            stream.writelines(lines(50, start=100))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(Sampling, "chosen", grown)
        assert len(sampled(tmp_path, file, "--count", "10")) == 10
    fresh = sampled(tmp_path, file, "--count", "10")
    assert len(fresh) == 10
    assert all(int(row.answer_id) >= 100 for row in fresh)


def test_a_count_holds_for_the_standard_input_too(tmp_path, monkeypatch):
    text = "".join(lines(2500)).encode() + b"{broken\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    fresh = sampled(tmp_path, "-", "--count", "40")
    assert sum(row.state != "unreadable" for row in fresh) == 40
    assert sum(row.state == "unreadable" for row in fresh) == 1


@pytest.mark.parametrize("setting", [{"rate": 0.0}, {"rate": 1.5}, {"count": 0}, {"stratified": True}])
def test_a_sample_that_makes_no_sense_is_named(setting):
    with pytest.raises(SettingError, match=next(iter(setting))):
        Sampling(**setting)


# --- alerts ---


class Hook(http.server.BaseHTTPRequestHandler):
    codes: ClassVar[list[int]] = []  # answers to come
    seen: ClassVar[list[dict]] = []

    def do_POST(self):
        self.seen.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        code = self.codes.pop(0) if self.codes else 200
        self.send_response(code)
        if code == 302:
            self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def hook():
    Hook.codes, Hook.seen = [], []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/hook"
    server.shutdown()
    server.server_close()


def test_an_alarm_reaches_the_hook_with_three_answers(tmp_path, hook):
    file = tmp_path / "a.jsonl"
    file.write_text("".join(lines(300) + lines(50, bad=0.9, start=300)))
    assert run(tmp_path, file, "--webhook", hook) == 1
    (payload,) = Hook.seen
    (alarm,) = payload["alarms"]
    assert alarm["series"] == "citation_validity"
    assert alarm["from"] > 0.9
    assert alarm["to"] < 0.3
    assert len(alarm["examples"]) == 3
    assert payload["text"].startswith("validity of citations fell from")


def test_a_hook_is_tried_again_and_an_alarm_that_got_lost_comes_again(tmp_path, hook, monkeypatch, capsys):
    Hook.codes = [500, 503, 200]
    send(hook, {"text": "x"}, lambda _: None)
    assert len(Hook.seen) == 3
    monkeypatch.setattr("pipeline.monitoring.alerts.PAUSE", 0.0)
    file = tmp_path / "a.jsonl"
    file.write_text("".join(lines(300) + lines(50, bad=0.9, start=300)))
    Hook.codes = [500] * 4
    assert run(tmp_path, file, "--webhook", hook) == 4
    assert "answered 500" in capsys.readouterr().err
    assert run(tmp_path, file, "--webhook", hook) == 1
    assert run(tmp_path, file, "--webhook", hook) == 0


def test_a_refusal_or_a_redirect_is_not_tried_again(hook):
    for code in (404, 302):
        Hook.codes, Hook.seen = [code], []
        with pytest.raises(EnvironmentFault, match=f"answered {code}"):
            send(hook, {"text": "x"}, lambda _: None)
        assert len(Hook.seen) == 1


@pytest.mark.parametrize("url", ["http://[::1", "https://example.org:99999/x", "https://example.org:0/x"])
def test_an_address_that_is_none_is_one_line(tmp_path, url, capsys):
    file = tmp_path / "a.jsonl"
    file.write_text("".join(lines(3)))
    assert run(tmp_path, file, "--webhook", url) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_hook_that_does_not_speak_http_is_a_fault_of_the_environment(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            for _ in range(4):
                connection, _ = server.accept()
                connection.recv(65536)
                connection.sendall(b"what?\r\n")
                connection.close()

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(EnvironmentFault, match=r"webhook http://127\.0\.0\.1: "):
            send(f"http://127.0.0.1:{server.getsockname()[1]}/", {"text": "x"}, lambda _: None)


def test_a_report_that_cannot_be_written_is_one_line_and_the_alarm_comes_again(tmp_path, capsys):
    file, taken = tmp_path / "a.jsonl", tmp_path / "taken"
    file.write_text("".join(lines(300) + lines(50, bad=0.9, start=300)))
    taken.write_text("")
    assert run(tmp_path, file, "--report", taken) == 4
    assert capsys.readouterr().err == f"{taken}: the report cannot be written: File exists\n"
    assert run(tmp_path, file) == 1


@pytest.mark.parametrize("url", ["http://example.org/secret", "ftp://x/y", "x", "http://127.0.0.1.example.org/a"])
def test_a_hook_that_would_send_in_the_open_is_refused_without_its_secret(url):
    with pytest.raises(SettingError) as caught:
        check_hook(url)
    assert "secret" not in str(caught.value)


def test_the_finding_as_json(tmp_path, capsys):
    file = tmp_path / "a.jsonl"
    file.write_text("".join(lines(300)))
    run(tmp_path, file, "--json")
    found = json.loads(capsys.readouterr().out)
    assert (found["answers"], found["alarms"], len(found["series"]["citation_validity"])) == (300, [], 6)
    assert found["series"]["citation_validity"][5]["state"] == "normal"


# --- report and MLflow ---


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_the_report_is_one_page_without_scripts(tmp_path):
    file = tmp_path / "a.jsonl"
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)> So [9]."
    file.write_text("".join(lines(300) + [line(i, evil) for i in range(300, 350)]))
    assert run(tmp_path, file, "--report", tmp_path / "out") == 1
    page = (tmp_path / "out" / "monitoring.html").read_text("utf-8")
    tags = Tags()
    tags.feed(page)
    assert (tmp_path / "out" / "monitoring.png").read_bytes().startswith(b"\x89PNG")
    assert "script" not in {tag for tag, _ in tags.found}
    (image,) = [attrs for tag, attrs in tags.found if tag == "img"]
    assert image["src"].startswith("data:image/png;base64,")
    assert not any(name.startswith("on") or name == "href" for _, attrs in tags.found for name in attrs)
    assert "validity of citations fell" in page


def test_a_report_before_the_first_batch_says_so(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text("".join(lines(3)))
    assert run(tmp_path, file, "--report", tmp_path / "out") == 0
    assert "No alarm." in (tmp_path / "out" / "monitoring.html").read_text("utf-8")


@pytest.mark.slow
def test_the_series_stands_in_mlflow_once(tmp_path):
    from mlflow import MlflowClient

    file = tmp_path / "a.jsonl"
    uri = f"sqlite:///{tmp_path}/ml.db"
    file.write_text("".join(lines(300)))
    assert run(tmp_path, file, "--mlflow", uri) == 0
    with file.open("a") as stream:
        stream.writelines(lines(50, bad=0.9, start=300))
    assert run(tmp_path, file, "--mlflow", uri) == 1
    client = MlflowClient(uri)
    (found,) = client.search_runs([client.get_experiment_by_name("monitoring").experiment_id])
    assert [one.step for one in client.get_metric_history(found.info.run_id, "citation_validity")] == [
        1,
        2,
        3,
        4,
        5,
        6,
        7,
    ]
    assert found.data.tags["rag_sweep.alarm"].startswith("validity of citations fell")
