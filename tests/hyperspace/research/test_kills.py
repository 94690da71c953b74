"""A coordinator or a sandbox is killed at any moment: no finished job is lost or counted twice."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pytest

from tests.hyperspace.research.environments import CONFIG, HELD_OUT, MAIN, write_small
from tests.hyperspace.research.runs import IDEATOR
from tests.support.command import HYPERSPACE, hyperspace
from tests.support.paths import ROOT
from tests.support.processes import descendants, left_after, named_in_command
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [needs_bubblewrap, pytest.mark.long]
NAME: Final = f"killed_by_{os.environ.get('PYTEST_XDIST_WORKER', 'us')}"
"""Stands in the command line of jobs; other workers play the same tests."""
# What a job leaves tells when it was trained: one that is trained again leaves something else.
SLOW: Final = "import time\ntime.sleep(0.2)\n" + MAIN.replace(
    '"value": value', '"value": value, "at": time.time_ns()'
)


def command(folder: Path, results: str) -> list[str | Path]:
    config = CONFIG.replace('"main.py"]', f'"main.py", "{NAME}"]')
    files = {"env.toml": config + HELD_OUT, "repo/main.py": SLOW, "held_out/most.json": "2"}
    env = write_small(folder / "env", files)
    run: list[str | Path] = ["research", "--env", env, "--models", IDEATOR, "--epochs", "2"]
    return [*run, "--ideas", "3", "--results", folder / results, "--json"]


@pytest.fixture(scope="module")
def digest(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Digest of the run that nobody disturbs."""
    return str(finish(tmp_path_factory.mktemp("undisturbed"), "results")["digest"])


def finish(folder: Path, results: str) -> dict[str, Any]:
    done = hyperspace(*command(folder, results), timeout_s=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def started(folder: Path, results: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*HYPERSPACE, *map(str, command(folder, results))],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def outcomes(run: Path) -> dict[str, bytes]:
    """What is on record of jobs that are finished."""
    if not (run / "jobs.db").exists():
        return {}
    with sqlite3.connect(run / "jobs.db") as db:
        rows = db.execute("SELECT id, outcome FROM jobs WHERE outcome IS NOT NULL").fetchall()
    db.close()
    return dict(rows)


@pytest.mark.parametrize(
    "number", [0, 1, 2, *(pytest.param(n, marks=pytest.mark.slow) for n in range(3, 20))]
)
def test_a_killed_coordinator_is_gone_on_with_as_if_it_had_not_been(
    number: int, digest: str, tmp_path: Path
) -> None:
    draw = random.Random(number)
    run = tmp_path / "killed" / "small" / "search" / "seed42"
    process = started(tmp_path, "killed")
    assert process.stderr is not None
    for _ in range(draw.randrange(6)):
        process.stderr.readline()
    time.sleep(draw.uniform(0, 0.5))
    process.kill()
    process.wait()
    process.stderr.close()
    assert left_after(60, named_in_command(NAME) - {os.getpid()}) == set(), "no job outlives it"
    before = outcomes(run)
    fields = finish(tmp_path, "killed")
    assert fields["digest"] == digest
    assert sum(fields["states"].values()) == 7
    after = outcomes(run)
    assert {job: after[job] for job in before} == before
    ideas = [json.loads(line) for line in (run / "ideas.jsonl").read_text().splitlines()]
    assert [idea["number"] for idea in ideas] == list(range(7))


@pytest.mark.parametrize("after_s", [0.0, 0.1, 0.3])
def test_killed_between_the_search_and_the_held_out_evaluation_it_ends_the_same(
    after_s: float, digest: str, tmp_path: Path
) -> None:
    process = started(tmp_path, "killed")
    assert process.stderr is not None
    for _ in range(7):  # the repository as it is, and six ideas
        process.stderr.readline()
    time.sleep(after_s)
    process.kill()
    process.wait()
    process.stderr.close()
    fields = finish(tmp_path, "killed")
    assert fields["digest"] == digest
    assert fields["held_out"]["baseline"] == 1.0
    run = tmp_path / "killed" / "small" / "search" / "seed42"
    again = hyperspace("replay", run, "--json", timeout_s=300)
    assert json.loads(again.stdout)["digest"] == digest


def test_a_killed_sandbox_is_tried_again_and_decides_nothing(digest: str, tmp_path: Path) -> None:
    process = started(tmp_path, "killed")
    assert process.stderr is not None
    process.stderr.readline()
    killed = 0
    until = time.monotonic() + 60
    while not killed and process.poll() is None and time.monotonic() < until:
        for pid in named_in_command("bwrap") & descendants(process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                killed += 1
    process.stderr.read()
    process.stderr.close()
    assert killed
    assert process.wait() == 0
    assert finish(tmp_path, "killed")["digest"] == digest
