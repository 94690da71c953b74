"""`hyperspace watch` on a research run: before, while and after it is played."""

import json
import os
import signal
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.hyperspace.research.environments import MAIN, write_small
from tests.hyperspace.research.runs import IDEATOR
from tests.support.command import HYPERSPACE, failed, hyperspace
from tests.support.paths import ROOT
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [needs_bubblewrap, pytest.mark.long]
PLACE = Path("results/small/search/seed42")
SLOW = "import time\nprint('\\x1b[31mbegun')\ntime.sleep(3)\nprint('ends')\n" + MAIN


@contextmanager
def started(folder: Path, *arguments: str | Path) -> Generator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [*HYPERSPACE, *map(str, arguments)],
        cwd=folder,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def command(folder: Path, main: str = MAIN) -> list[str | Path]:
    env = write_small(folder / "env", {"repo/main.py": main})
    return ["research", "--env", env, "--models", IDEATOR, "--epochs", "1", "--ideas", "2"]


def test_a_run_is_waited_for_and_followed_with_the_log_of_what_runs(tmp_path: Path) -> None:
    with started(tmp_path, "watch", PLACE, "--wait", "--json", "--after", "0") as watch:
        assert watch.stdout is not None
        assert json.loads(watch.stdout.readline())["state"] == "waiting"
        with started(tmp_path, *command(tmp_path, SLOW)) as research:
            events: list[Any] = [json.loads(line) for line in watch.stdout]
            assert research.wait() == 0
        assert watch.wait() == 0
    kinds = [event["event"] for event in events]
    assert {"state", "under way", "log", "idea", "budget", "present"} <= set(kinds)
    of_one = [event for event in events if event.get("number") == 1]
    told = [event["event"] for event in of_one]
    assert told.index("log") < told.index("idea"), "while it runs"
    assert {event["state"] for event in of_one if event["event"] == "under way"} >= {"running"}
    lines = [line for event in of_one if event["event"] == "log" for line in event["lines"]]
    assert lines[0] == "\x1b[31mbegun"
    ended = [event for event in events if event["event"] == "idea"]
    assert sorted(event["number"] for event in ended) == [0, 1, 2]
    assert events[-1] == {"event": "state", "state": "finished", "holder": ""} or (
        events[-1]["event"] == "budget"
    )


def test_a_killed_run_is_idle_and_a_finished_one_says_what_it_came_to(tmp_path: Path) -> None:
    words = command(tmp_path, SLOW)
    with started(tmp_path, *words) as research:
        with started(tmp_path, "watch", PLACE, "--wait") as watch:
            assert watch.stdout is not None
            lines = iter(watch.stdout.readline, "")
            shown = next(line for line in lines if "begun" in line)
            watch.send_signal(signal.SIGINT)
            assert watch.wait() == 0
        research.kill()
    assert shown.strip().endswith("| begun"), "codes of a terminal are left out"
    idle = hyperspace("watch", PLACE, "--once", cwd=tmp_path).stdout
    assert "nobody works on it; the same command, or hyperspace resume RUN" in idle
    assert "its job" not in idle
    assert hyperspace(*words, cwd=tmp_path).returncode == 0
    done = hyperspace("watch", PLACE, cwd=tmp_path).stdout.splitlines()
    assert done[0].startswith("small, search: 1 epoch of 2 ideas, offline/ideator, seed 42")
    assert done[-1] == "finished"
    assert any(line.startswith("best score ") for line in done)
    present = json.loads(hyperspace("watch", PLACE, "--once", "--json", cwd=tmp_path).stdout)
    assert (present["closed"], present["state"]) == (2, "finished")


def test_what_is_no_research_run_is_a_sentence(tmp_path: Path) -> None:
    run = tmp_path / PLACE
    run.mkdir(parents=True)
    (run / "research.json").write_text("{}")
    for command in ("watch", "export"):
        assert "is no record of a research run" in failed(hyperspace(command, run), 2)


def test_audit_says_what_checks_a_research_run(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "research.json").write_text("{}")
    said = failed(hyperspace("audit", run), 2)
    assert "holds a research run" in said and "space verify checks its audit chain" in said
