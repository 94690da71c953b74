"""A set that is started while another start plays it."""

import json
import subprocess
import time
from pathlib import Path

import pytest

from hyperspace.runs.following.worker import worker_of
from tests.support.command import HYPERSPACE, hyperspace
from tests.support.paths import ROOT

pytestmark = pytest.mark.long
SET = ("solo", "--model", "offline/tinker", "--domain", "repo_quality", "--no-controls")


def test_the_second_start_leaves_runs_to_the_first_and_fails_nothing(tmp_path: Path) -> None:
    words = [*SET, "--seeds", "1..2", "--iterations", "60", "--results", str(tmp_path)]
    first = subprocess.Popen([*HYPERSPACE, *words], cwd=ROOT, stderr=subprocess.DEVNULL)
    folders = [tmp_path / f"repo_quality/repo_quality/arm_a_full/seed{seed}" for seed in (1, 2)]
    try:
        until = time.monotonic() + 120
        while not all(map(worker_of, folders)):
            assert time.monotonic() < until
            assert first.poll() is None
            time.sleep(0.05)
        second = hyperspace(*words, "--json")
        assert second.returncode == 0, second.stderr
        told = json.loads(second.stdout)
        assert told["failed"] == []
        assert len(told["in_play"]) + len(told["runs"]) == 2
        assert told["in_play"]
        assert "left to the start that plays them" in second.stderr
    finally:
        first.terminate()
        first.wait()
