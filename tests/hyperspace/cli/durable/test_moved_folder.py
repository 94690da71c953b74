"""The folder of a run is moved or removed while it is played: it ends, and can go on."""

import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.command import HYPERSPACE, PAIR, hyperspace, pair
from tests.support.paths import ROOT

pytestmark = pytest.mark.long

PATIENCE_S = 300.0
RUN = ("repo_quality", "tinker_vs_magpie", "seed3")
LONG = ("pair", *PAIR, "--generations", "8", "--seed", "3", "--sandbox", "process")


@pytest.mark.parametrize("is_moved", [True, False])
def test_it_ends_with_a_sentence_and_plays_no_more(is_moved: bool, tmp_path: Path) -> None:
    run, moved = tmp_path.joinpath("r", *RUN), tmp_path / "moved"
    command = [*HYPERSPACE, *LONG, "--results", str(tmp_path / "r")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=ROOT) as process:
        until = time.monotonic() + PATIENCE_S
        while not (run / "magpie" / "gen_2").exists():
            assert time.monotonic() < until
            time.sleep(0.01)
        run.rename(moved)
        if not is_moved:
            shutil.rmtree(moved)
        _, told = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1, told
    assert f"{run} was moved or removed while its run was played" in told
    assert "Traceback" not in told
    if is_moved:
        done = hyperspace("resume", moved, "--json")
        assert done.returncode == 0, done.stderr
        undisturbed = pair(tmp_path / "other", "--sandbox", "process", generations=8)
        assert json.loads(done.stdout)["digest"] == undisturbed["digest"]
