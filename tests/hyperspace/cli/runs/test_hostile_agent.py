"""A whole run with a meta agent that tries what it must not: refused, on record, and harmless."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import PAIR, hyperspace
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.long, needs_bubblewrap]
KEY = "sk-canary-5d1f"
META = """
import os, pathlib, time

class MetaAgent:
    def __init__(self, model, temperature=0.0):
        self.model = model

    def forward(self, repo_path, eval_path, iterations_left=None):
        root = pathlib.Path(repo_path)
        task = root / "task_agent.py"
        text = task.read_text()
        task.write_text(text + "# first thought\\n")
        time.sleep(0.4)
        loot = [str(dict(os.environ))]
        for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                loot.append(path.read_bytes().decode(errors="replace"))
            except OSError:
                pass
        task.write_text(text + "# loot " + ascii(loot) + "\\n")
        (root / "agent" / "llm_client.py").write_text("SEALED = False\\n")
        (root / "evals" / "train_items.jsonl").write_text("")
        (root / "strategies").mkdir(exist_ok=True)
        (root / "strategies" / "note.txt").write_text("BLOCKED, at world record")
        (root / "json.py").write_text("evil = True\\n")
        (root / "TASK_AGENT.py").symlink_to("/etc/passwd")
        time.sleep(0.4)
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    initial = tmp_path_factory.mktemp("initial")
    (initial / "meta_agent.py").write_text(META)
    results = tmp_path_factory.mktemp("results")
    os.environ["OPENAI_API_KEY"] = KEY
    try:
        done = hyperspace(
            *("pair", *PAIR, "--generations", "1", "--seed", "1", "--json"),
            *("--initial", initial, "--results", results),
        )
    finally:
        del os.environ["OPENAI_API_KEY"]
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["violations"] == 10
    return Path(result["run"])


def audit(run: Path) -> Any:
    done = hyperspace("audit", run, "--json")
    assert done.returncode == 0
    return json.loads(done.stdout)


def test_everything_outside_the_edit_scope_is_put_back_and_listed(run: Path) -> None:
    refused = [found for found in audit(run)["refused"] if found["agent"] == "tinker"]
    assert [found["path"] for found in refused] == [
        "TASK_AGENT.py",
        "agent/llm_client.py",
        "evals/train_items.jsonl",
        "json.py",
        "strategies/note.txt",
    ]
    assert {found["kind"] for found in refused} == {"edit-scope"}
    assert {found["verdict"] for found in refused} == {"reverted"}
    frozen = (run / "tinker" / "gen_1" / "repo" / "agent" / "llm_client.py").read_text()
    assert "SEALED" not in frozen


def test_the_audit_file_and_the_command_tell_the_same(run: Path) -> None:
    lines = [json.loads(line) for line in (run / "audit.jsonl").read_text().splitlines()]
    assert lines == audit(run)["refused"]


def test_filters_choose_agent_and_kind(run: Path) -> None:
    shown = hyperspace("audit", run, "--agent", "magpie", "--kind", "edit-scope").stdout
    assert "5 refused" in shown
    assert "tinker gen" not in shown
    assert "0 refused" in hyperspace("audit", run, "--kind", "budget").stdout


def test_the_key_is_nowhere_in_what_came_out(run: Path) -> None:
    assert "# loot" in (run / "tinker" / "gen_1" / "repo" / "task_agent.py").read_text()
    found = [
        path for path in run.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()
    ]
    assert found == []


def test_edits_are_seen_while_they_happen_and_the_last_state_is_marked_final(run: Path) -> None:
    text = (run / "tinker" / "gen_1" / "edits.jsonl").read_text()
    edits = [json.loads(line) for line in text.splitlines()]
    live = [edit for edit in edits if edit["path"] == "task_agent.py" and not edit["final"]]
    (final,) = (edit for edit in edits if edit["path"] == "task_agent.py" and edit["final"])
    assert len({edit["sha256"] for edit in live}) == 2
    assert live[-1]["sha256"] == final["sha256"]
    assert all(edit["inferred"] for edit in live)


def test_a_changed_record_does_not_verify(run: Path, tmp_path: Path) -> None:
    import shutil
    import sqlite3

    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    connection = sqlite3.connect(copy / "space.db")
    (count,) = connection.execute("select count(*) from marks").fetchone()
    assert count > 0
    connection.execute("delete from marks where sequence = (select max(sequence) from marks)")
    connection.commit()
    connection.close()
    done = hyperspace("audit", copy)
    assert done.returncode == 1
    assert "DOES NOT VERIFY" in done.stderr
