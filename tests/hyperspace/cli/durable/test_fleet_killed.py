"""kill -9 in the middle of fleets: in rounds the same digest, at their own pace the same sights."""

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hyperspace.kernel.state.digest import digest
from tests.support.command import hyperspace
from tests.support.runs.played import FREIGHT, ROOT, attempted_cursors

pytestmark = pytest.mark.slow

KILLS = 6
ADOPTERS = """
[[agents]]
model = "offline/adopter?eagerness=1&picky=0"
count = 2
island = "one"
[[agents]]
model = "offline/bloater"
island = "two"
budget = 2
"""
ISLANDS = 'schedule = "islands"\nislands = {every = 2}\n' + ADOPTERS
ROUNDS = ADOPTERS.replace('island = "one"\n', "").replace('island = "two"\n', "")
OWN_PACE = 'schedule = "concurrent"\n' + ROUNDS


def command(folder: Path, terms: str) -> list[str]:
    config = folder / "fleet.toml"
    config.write_text(f'name = "f"\ndomain = "{FREIGHT}"\ngenerations = 3\n{terms}')
    return ["fleet", "--config", str(config), "--sandbox", "process", "--trust", "--results"]


def killed_again_and_again(asked: list[str], results: Path) -> Path:
    """Play a fleet to its end through kills at random moments; returns the run's folder."""
    rng, log = random.Random(7), results.with_name("log")
    start = [
        sys.executable,
        "-m",
        "tests.support.runs.kill_at",
        str(log),
        "-",
        *asked,
        str(results),
    ]
    for _ in range(KILLS):
        before = log.stat().st_size if log.exists() else 0
        with subprocess.Popen(start, cwd=ROOT, stderr=subprocess.DEVNULL) as process:
            while not log.exists() or log.stat().st_size == before:
                time.sleep(0.005)
            time.sleep(rng.uniform(0, 0.4))
            process.kill()
    done = hyperspace(*asked, results, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return results / "freight" / "f" / "seed42"


@pytest.mark.parametrize("terms", [ROUNDS, ISLANDS])
def test_in_rounds_it_ends_as_if_undisturbed(tmp_path: Path, terms: str) -> None:
    asked = command(tmp_path, terms)
    assert hyperspace(*asked, tmp_path / "plain", cwd=ROOT).returncode == 0
    run = killed_again_and_again(asked, tmp_path / "killed")
    assert digest(run) == digest(tmp_path / "plain" / "freight" / "f" / "seed42")
    assert hyperspace("audit", run).returncode == 0


def test_at_their_own_pace_each_attempt_saw_what_the_first_one_did(tmp_path: Path) -> None:
    run = killed_again_and_again(command(tmp_path, OWN_PACE), tmp_path / "killed")
    for aside, closed in attempted_cursors(run):
        assert aside == closed
    replayed = hyperspace(
        *("replay", run, "--domain", FREIGHT, "--sandbox", "process", "--json"), cwd=ROOT
    )
    assert replayed.returncode == 0, replayed.stderr
    assert json.loads(replayed.stdout)["same"]
    assert hyperspace("audit", run).returncode == 0
