"""`hyperspace resume` on research runs: from the folder alone, wherever it lies."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.hyperspace.research.environments import MAIN, write_small
from tests.hyperspace.research.runs import IDEATOR
from tests.support.command import HYPERSPACE, failed, hyperspace
from tests.support.paths import ROOT
from tests.support.runs.copied import strangers
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [needs_bubblewrap, pytest.mark.long]


def paused(folder: Path, *more: str) -> Path:
    """A run that a limit has paused."""
    env = write_small(folder / "env")
    words = ("--env", env, "--models", IDEATOR, "--epochs", "1", "--ideas", "3", *more)
    done = hyperspace("research", *words, "--results", folder / "r", "--max-calls", "2")
    assert "--max-calls" in failed(done, 1)
    arm = "best_of_n" if "best_of_n" in more else "search"
    return folder / "r" / "small" / arm / "seed42"


def test_a_limit_holds_until_another_is_said_and_the_digest_is_that_of_a_whole_run(
    tmp_path: Path,
) -> None:
    run = paused(tmp_path, "--slots", "1")
    assert "--max-calls" in failed(hyperspace("resume", run), 1)
    moved = run.rename(tmp_path / "moved")
    fields = json.loads(hyperspace("resume", moved, "--max-calls", "none", "--json").stdout)
    words = ("--env", tmp_path / "env", "--models", IDEATOR, "--epochs", "1", "--ideas", "3")
    whole = hyperspace("research", *words, "--results", tmp_path / "whole", "--json")
    assert fields["digest"] == json.loads(whole.stdout)["digest"]
    assert (fields["run"], fields["states"]) == (str(moved), {"done": 4})
    assert "no --detach; leave" in failed(hyperspace("resume", moved, "--detach"), 2)


def test_the_control_goes_on_as_the_control(tmp_path: Path) -> None:
    run = paused(tmp_path, "--arms", "best_of_n")
    fields = json.loads(hyperspace("resume", run, "--max-calls", "none", "--json").stdout)
    assert (fields["arm"], sum(fields["states"].values())) == ("best_of_n", 4)


def test_a_run_of_somebody_else_needs_trust_and_another_environment_is_refused(
    tmp_path: Path,
) -> None:
    run = strangers(paused(tmp_path), tmp_path / "copied")
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    said = failed(hyperspace("resume", run, "--max-calls", "none"), 2)
    assert "was not begun by you here" in said and IDEATOR in said and "--trust" in said
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before
    done = hyperspace("resume", run, "--max-calls", "none", "--trust", "--json")
    assert json.loads(done.stdout)["states"] == {"done": 4}
    (tmp_path / "env" / "sealed" / "most.json").write_text("6")
    assert "env.toml or data is another now" in failed(hyperspace("resume", run, "--trust"), 2)
    (run / "jobs.db").unlink()
    (run / "jobs.db").symlink_to(tmp_path / "env" / "env.toml")
    assert "link" in failed(hyperspace("resume", run, "--trust"), 2)


def test_ctrl_c_ends_in_a_sentence_and_leaves_nothing_behind(tmp_path: Path) -> None:
    main = "import time\ntime.sleep(30)\n" + MAIN
    env = write_small(tmp_path / "env", {"repo/main.py": main})
    words = ("research", "--env", env, "--models", IDEATOR, "--results", tmp_path / "r")
    with subprocess.Popen(
        [*HYPERSPACE, *map(str, words)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as process:
        run = tmp_path / "r" / "small" / "search" / "seed42"
        watch = hyperspace_until_job_runs(run)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        said = process.stderr.read()
    assert watch
    assert process.returncode == 130
    assert said.strip().splitlines()[-1] == (
        "hyperspace: stopped; the same command goes on where it was"
    )
    assert not (run / "now.json").exists()


def hyperspace_until_job_runs(run: Path) -> bool:
    """Watch a run until a job runs in it."""
    with subprocess.Popen(
        [*HYPERSPACE, "watch", str(run), "--wait"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ) as watch:
        assert watch.stdout is not None
        seen = any("its job runs" in line for line in watch.stdout)
        watch.kill()
    return seen
