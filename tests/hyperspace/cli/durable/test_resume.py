"""kill -9 at chosen positions and at random moments, then the same command: the same result."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import pytest

from hyperspace.kernel.events import Step
from hyperspace.kernel.generation.run_context import run_label
from hyperspace.kernel.state.digest import digest
from hyperspace.kernel.state.lease import TTL_S
from tests.support.command import PAIR, failed, hyperspace, kill_at
from tests.support.paths import ROOT
from tests.support.sandboxes import left_of

pytestmark = pytest.mark.long

COMMAND = ("pair", *PAIR, "--generations", "2", "--seed", "5")
INSIDE = {  # a position in the middle of a step, where a step has an inside
    "modify": "call:2",
    "evaluate": "item:val:7",
}
COMMITS = ("tinker:0:commit", "magpie:0:commit", "tinker:1:commit", "magpie:1:commit")
RANDOM_KILLS = 10
LONGEST_WAIT_S = 0.2  # ten of them are shorter than the run, so that each kill hits


class Run:
    """One results folder that commands are started in, and killed."""

    def __init__(self, folder: Path) -> None:
        self.results = folder
        self.log = folder.with_name(f"{folder.name}.log")
        self.path = folder / "repo_quality" / "tinker_vs_magpie" / "seed5"

    def start(self, position: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "tests.support.runs.kill_at", str(self.log), position]
        return subprocess.Popen(
            [*command, *COMMAND, "--results", str(self.results)],
            cwd=ROOT,
            text=True,
            stderr=subprocess.PIPE,
        )

    def play(self, position: str = "-") -> int:
        return kill_at(self.log, position, *COMMAND, "--results", self.results).returncode

    def wait_for_progress(self) -> None:
        """Wait until the process that was started last has begun to work."""
        before = self._logged()
        while self._logged() == before:
            time.sleep(0.005)

    def _logged(self) -> int:
        return self.log.stat().st_size if self.log.exists() else 0

    def positions(self) -> list[str]:
        return self.log.read_text().splitlines()


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Run:
    run = Run(tmp_path_factory.mktemp("reference"))
    assert run.play() == 0
    return run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path / "results")


def kill_at_each(run: Run, positions: Sequence[str]) -> None:
    """Kill a run again and again, always further on, and let it end."""
    for position in positions:
        assert run.play(position) == -signal.SIGKILL, f"{position} was never reached"
        assert run.positions()[-1] == position
        assert sandboxes_of(run) == []
    assert run.play() == 0


def sandboxes_of(run: Run) -> list[str]:
    """Processes of this run's sandboxes that still live."""
    return left_of(run_label(run.path))


def test_killed_inside_each_step_it_ends_as_if_undisturbed(reference: Run, run: Run) -> None:
    positions = [f"tinker:1:{step}" for step in get_args(Step) if step != "commit"]
    positions += [f"magpie:1:{inside}" for inside in INSIDE.values()]
    kill_at_each(run, positions)
    assert digest(run.path) == digest(reference.path)


def test_killed_right_before_each_commit_it_ends_as_if_undisturbed(
    reference: Run, run: Run
) -> None:
    kill_at_each(run, COMMITS)
    assert digest(run.path) == digest(reference.path)
    commits = [position for position in reference.positions() if position.endswith(":commit")]
    assert set(COMMITS) <= set(commits)


def test_killed_at_random_moments_it_ends_as_if_undisturbed(reference: Run, run: Run) -> None:
    rng = random.Random(2)
    for _ in range(RANDOM_KILLS):
        with run.start("-") as process:
            run.wait_for_progress()
            time.sleep(rng.uniform(0, LONGEST_WAIT_S))
            process.kill()
        assert process.returncode == -signal.SIGKILL, "the run ended before it could be killed"
    assert run.play() == 0
    assert digest(run.path) == digest(reference.path)
    assert sandboxes_of(run) == []


def test_an_abandoned_attempt_is_set_aside_and_its_calls_are_served(run: Run) -> None:
    assert run.play("tinker:1:call:3") == -signal.SIGKILL
    assert run.play() == 0
    (aside,) = (run.path / "abandoned").iterdir()
    assert aside.name == "tinker_gen_1_0"
    trace = (run.path / "tinker" / "gen_1" / "llm_calls.jsonl").read_text().splitlines()
    finished = len((aside / "llm_calls.jsonl").read_text().splitlines())
    assert ['"served":true' in line for line in trace] == [
        number < finished for number in range(len(trace))
    ]


def test_killed_before_the_summary_it_is_written_by_the_next_start(run: Run) -> None:
    assert run.play() == 0
    summary = run.path / "summary.json"
    before = json.loads(summary.read_text())
    summary.unlink()
    assert run.play() == 0
    assert json.loads(summary.read_text()) == before
    assert hyperspace("audit", run.path).returncode == 0


def test_resume_needs_nothing_but_the_folder(reference: Run, run: Run) -> None:
    assert run.play("magpie:0:gate") == -signal.SIGKILL
    done = hyperspace("resume", run.path)
    assert done.returncode == 0, done.stderr
    assert digest(run.path) == digest(reference.path)


def test_a_second_coordinator_is_refused_and_told_who_works_there(run: Run) -> None:
    with run.start("-") as first:
        while not run.log.exists() or "tinker:1:modify" not in run.positions():
            time.sleep(0.02)
        os.kill(first.pid, signal.SIGSTOP)
        try:
            second = hyperspace(*COMMAND, "--results", run.results)
        finally:
            os.kill(first.pid, signal.SIGCONT)
        message = failed(second, 1)
        assert str(first.pid) in message
        assert "host" in message
        first.communicate(timeout=300)
    assert first.returncode == 0


@pytest.mark.slow
def test_a_coordinator_that_was_out_too_long_writes_nothing(reference: Run, run: Run) -> None:
    with run.start("-") as first:
        run.wait_for_progress()
        os.kill(first.pid, signal.SIGSTOP)
        time.sleep(TTL_S + 1)
        assert hyperspace(*COMMAND, "--results", run.results).returncode == 0
        os.kill(first.pid, signal.SIGCONT)
        _, errors = first.communicate(timeout=300)
    assert first.returncode == 1
    assert "another has taken its run over" in errors
    assert digest(run.path) == digest(reference.path)
    assert hyperspace("audit", run.path).returncode == 0


def test_ctrl_c_stops_cleanly_and_the_same_command_goes_on(reference: Run, run: Run) -> None:
    arguments = [sys.executable, "-m", "hyperspace", *COMMAND, "--results", str(run.results)]
    with subprocess.Popen(arguments, cwd=ROOT, text=True, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        process.stderr.readline()
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
    assert process.returncode == 130
    assert "the same command goes on" in rest
    assert "Traceback" not in rest
    assert sandboxes_of(run) == []
    assert hyperspace(*COMMAND, "--results", run.results).returncode == 0
    assert digest(run.path) == digest(reference.path)
