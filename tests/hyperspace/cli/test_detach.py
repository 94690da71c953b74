"""A run that was detached goes on when its terminal is gone, and ends as it would have ended."""

import json
import os
import pty
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from hyperspace.cli.detaching import log_of
from tests.support.command import HYPERSPACE, PAIR, hyperspace, pair
from tests.support.paths import ROOT

pytestmark = pytest.mark.long  # plays whole runs

LONG = ("--generations", "2", "--seed", "3")
WAIT_S = 300.0


def run_of(results: Path, seed: int = 3) -> Path:
    return results / "repo_quality" / "tinker_vs_magpie" / f"seed{seed}"


def ended(run: Path) -> Any:
    """Wait for the end of a run; its summary."""
    until = time.monotonic() + WAIT_S
    while not (run / "summary.json").exists():
        assert time.monotonic() < until, (run.parent / f"{run.name}.log").read_text()
        time.sleep(0.05)
    return json.loads((run / "summary.json").read_text())


def in_a_terminal(*arguments: str | Path) -> tuple[int, str]:
    """Run a command line in a terminal, and close that when the command has returned."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(ROOT)
        os.execv(sys.executable, [*HYPERSPACE, *map(str, arguments)])  # noqa: S606  no shell
    said = b""
    try:
        while part := os.read(terminal, 10_000):
            said += part
    except OSError:  # the end of a terminal, on Linux
        pass
    os.close(terminal)  # whatever it was the terminal of is hung up
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said.decode()


def test_a_run_goes_on_when_its_terminal_is_closed_and_ends_the_same(tmp_path: Path) -> None:
    expected = pair(tmp_path / "attached")["digest"]
    results = tmp_path / "detached"
    code, said = in_a_terminal("pair", *PAIR, *LONG, "--results", results, "--detach")
    assert code == 0
    assert str(log_of([run_of(results)])) in said and "hyperspace watch" in said
    assert ended(run_of(results))["digest"] == expected
    assert (
        "--detach" not in json.loads((run_of(results) / "run_config.json").read_text())["command"]
    )


def test_a_detached_run_is_stopped_by_its_process_and_resumed(tmp_path: Path) -> None:
    expected = pair(tmp_path / "attached")["digest"]
    results = tmp_path / "detached"
    done = hyperspace("pair", *PAIR, *LONG, "--results", results, "--detach", "--json")
    told = json.loads(done.stdout)
    assert (told["runs"], told["dashboard"]) == ([str(run_of(results))], None)
    log = Path(told["log"])
    os.kill(told["pid"], signal.SIGHUP)  # what a terminal would send changes nothing
    os.kill(told["pid"], signal.SIGTERM)
    until = time.monotonic() + WAIT_S
    while "hyperspace: stopped" not in log.read_text():
        assert time.monotonic() < until and Path(f"/proc/{told['pid']}").exists()
        time.sleep(0.05)
    again = hyperspace("resume", run_of(results), "--detach")
    assert again.returncode == 0, again.stderr
    assert ended(run_of(results))["digest"] == expected


def test_a_set_is_detached_as_one(tmp_path: Path) -> None:
    options = ("--domain", "repo_quality", "--arm", "a", "--seeds", "1,2", "--iterations", "1")
    results = ("--results", str(tmp_path / "results"))
    command = ("solo", "--model", "offline/tinker", *options, "--no-controls", *results)
    done = hyperspace(*command, "--detach", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert len(told["runs"]) == 2
    for run in told["runs"]:
        assert ended(Path(run))["digest"]


def test_a_finished_run_says_so_at_once(tmp_path: Path) -> None:
    pair(tmp_path)
    done = hyperspace("pair", *PAIR, *LONG, "--results", tmp_path, "--detach")
    assert done.returncode == 0
    assert "this run was finished before" in done.stdout


def test_what_fails_early_says_why_and_leaves_nothing(tmp_path: Path) -> None:
    options = ("--initial", "/nowhere", "--results", tmp_path / "results")
    done = hyperspace("pair", *PAIR, *LONG, *options, "--detach")
    assert done.returncode == 2
    assert "/nowhere does not exist" in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "results").exists()


def test_events_need_somebody_who_listens(tmp_path: Path) -> None:
    options = ("--domain", "repo_quality", "--arm", "a", "--no-controls", "--iterations", "1")
    command = ("solo", "--model", "offline/tinker", *options, "--results", tmp_path / "r")
    done = hyperspace(*command, "--events", "--detach")
    assert done.returncode == 2
    assert "--detach" in done.stderr and not (tmp_path / "r").exists()


def test_a_log_is_not_written_through_a_link(tmp_path: Path) -> None:
    run = run_of(tmp_path / "results")
    run.parent.mkdir(parents=True)
    (tmp_path / "mine").write_text("mine")
    run.with_name("seed3.log").symlink_to(tmp_path / "mine")
    done = hyperspace("pair", *PAIR, *LONG, "--results", tmp_path / "results", "--detach")
    assert done.returncode == 2 and "this is a link" in done.stderr
    assert (tmp_path / "mine").read_text() == "mine"
