"""`hyperspace space` on spaces of any kind: what it prints, follows and exports."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from markspace import MarkSpace, Observation
from tests.support.command import HYPERSPACE
from tests.support.paths import ROOT
from tests.support.some_space import ANN, LONG, TIME, Command, Made


def test_marks_are_listed_in_order_with_what_became_of_them(made: Made, space: Command) -> None:
    printed = space("marks", made[0])
    assert printed.code == 0
    assert [int(line.split()[0]) for line in printed.lines] == list(range(1, 9))
    assert "cpu=0.9 superseded_by=2" in printed.lines[0]
    assert "cpu=0.2" in printed.lines[1]
    assert "result=done" in printed.lines[3]


def test_marks_as_json_hold_everything(made: Made, space: Command) -> None:
    marks = space("marks", made[0], "--json").objects
    assert marks[1]["content"] == {"cpu": 0.2, "log": LONG}
    assert (marks[0]["state"], marks[0]["superseded_by"]) == ("superseded", 2)
    assert {mark["created_at"] for mark in marks} == {TIME}


def test_marks_of_a_scope_and_after_a_sequence(made: Made, space: Command) -> None:
    marks = space("marks", made[0], "--scope", "ops/web", "--after", "2", "--json").objects
    assert [mark["sequence"] for mark in marks] == [3, 4, 8]


def test_what_agents_write_cannot_steer_the_terminal(made: Made, space: Command) -> None:
    printed = space("marks", made[0])
    assert "\x1b" not in printed.out
    assert r"reason=a\x1b[2Jb\nc" in printed.out


def test_needs_come_most_urgent_first_with_their_questions(made: Made, space: Command) -> None:
    printed = space("needs", made[0])
    assert printed.lines[0] == "ops/web: priority 0.90, 1 open, 0 blocking"
    assert printed.lines[2] == "ops: priority 0.67, 2 open, 1 blocking"
    assert "Is 0.6 urgent? (priority 0.60, blocking, id " in printed.out
    clusters = space("needs", made[0], "--scope", "ops/web", "--json").objects
    assert [need["question"] for need in clusters[0]["needs"]] == ["Why?"]
    assert clusters[0]["effective_priority"] == 0.9


def test_audit_lists_commits_and_refusals(made: Made, space: Command) -> None:
    printed = space("audit", made[0])
    assert "write_mark accepted: ann observation in ops/web" in printed.out
    assert "write_mark denied: ann observation in lab (agent 'ann' may not write" in printed.out
    entries = space("audit", made[0], "--after", "3", "--json").objects
    assert [entry["number"] for entry in entries] == list(range(4, len(printed.lines) + 1))
    assert entries[-1]["decisions"][0][1] == "denied"


def test_verify_names_the_head_and_looks_for_an_expected_one(made: Made, space: Command) -> None:
    result = space("verify", made[0], "--json").objects[0]
    printed = space("verify", made[0], "--head", result["head"].upper())
    assert printed.code == 0
    assert result["head"] in printed.out
    missing = space("verify", made[0], "--head", "ab" * 32)
    assert missing.code == 1
    assert "ends too early" in missing.err


def test_stats_count_by_scope_and_type(made: Made, space: Command) -> None:
    found = space("stats", made[0], "--json").objects[0]
    counts = {(n["scope"], n["mark_type"]): n for n in found["counts"]}
    observations = counts["ops/web", "observation"]
    assert (observations["live"], observations["superseded"]) == (1, 1)
    assert (found["marks"], found["sequence"], found["clock"]) == (8, 8, TIME)
    assert found["size_bytes"] > len(LONG)
    assert [lease["holder"] for lease in found["leases"]] == ["carl"]
    text = space("stats", made[0]).out
    assert "lease backup: held by carl" in text
    assert found["head"] in text


def test_export_as_json_lines_is_what_marks_prints(
    made: Made, space: Command, tmp_path: Path
) -> None:
    output = tmp_path / "marks.jsonl"
    output.write_text("old")
    assert space("export", made[0], "--output", output).code == 0
    assert output.read_text() == space("marks", made[0], "--json").out
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".tmp"] == []


@pytest.mark.long
def test_export_as_parquet_has_a_column_for_each_field(
    made: Made, space: Command, tmp_path: Path
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    output = tmp_path / "marks.parquet"
    printed = space("export", made[0], "--format", "parquet", "--output", output)
    assert printed.out == f"8 marks up to sequence 8 written to {output}\n"
    table = parquet.read_table(output)
    rows = table.to_pylist()
    assert [row["sequence"] for row in rows] == list(range(1, 9))
    assert json.loads(rows[1]["payload"]) == {"cpu": 0.2, "log": LONG}
    assert rows[1]["supersedes"] == rows[0]["id"]
    assert (rows[0]["superseded_by"], rows[1]["superseded_by"]) == (2, None)
    assert (rows[5]["priority"], rows[6]["blocking"]) == (0.4, True)
    assert table.schema.field("sequence").type == "int64"


def test_watch_prints_marks_of_other_processes_until_interrupted(made: Made) -> None:
    where, store = made
    command = [*HYPERSPACE, "space", "watch", where, "--after", "7", "--scope", "ops", "--json"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["question"] == "Why?"
        MarkSpace(store=store).write(ANN, Observation(scope="ops/new", topic="t", content="hi"))
        heard = json.loads(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert "Traceback" not in process.stderr.read()
    assert (heard["sequence"], heard["content"]) == (9, "hi")
