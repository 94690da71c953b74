"""A folder of three files, checked and played as any other domain."""

import json
from pathlib import Path

import pytest

from hyperspace.domain_check import check_named
from tests.support.command import hyperspace
from tests.support.sandboxes import needs_bubblewrap

SEED = 50 / 200


@needs_bubblewrap
def test_a_check_scores_the_first_solution_by_its_benchmark(folder: Path) -> None:
    report = check_named(str(folder))
    assert report.scores == {"train": SEED, "val": SEED, "test": SEED}
    assert report.failures == ()
    assert report.notes[0] == "1 of 1 items of val are asked in an earlier split"


@pytest.mark.long
@needs_bubblewrap
def test_a_pair_plays_it(folder: Path, tmp_path: Path) -> None:
    models = ("--models", "offline/tinker", "offline/magpie", "--generations", "2")
    done = hyperspace("pair", "--domain", folder, *models, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["run"].startswith("results/reach/")
    assert all(agent["best_val"] >= SEED for agent in result["agents"])
