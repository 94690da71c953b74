"""A folder of three files, checked and played as any other domain."""

import json
from pathlib import Path

import pytest

from hyperspace.cli.domain_check import check_named
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
def test_code_of_a_folder_runs_nowhere_without_a_boundary(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))  # no bwrap, no docker
    mark = tmp_path / "it_ran"
    with (folder / "initial_solution.py").open("a") as file:
        file.write(f"\nopen({str(mark)!r}, 'w').close()\n")
    checked = hyperspace("domains", folder, "--check", "--json", cwd=tmp_path)
    (report,) = json.loads(checked.stdout)["domains"]
    assert "bubblewrap" in report["not_played"]
    assert report["scores"] == {}
    models = ("--models", "offline/tinker", "offline/magpie", "--generations", "1")
    pair = hyperspace("pair", "--domain", folder, *models, cwd=tmp_path)
    assert pair.returncode != 0
    assert "bubblewrap" in pair.stderr
    assert not mark.exists()


@pytest.mark.long
@needs_bubblewrap
def test_a_pair_plays_it(folder: Path, tmp_path: Path) -> None:
    models = ("--models", "offline/tinker", "offline/magpie", "--generations", "2")
    done = hyperspace("pair", "--domain", folder, *models, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["run"].startswith("results/reach/")
    assert all(agent["best_val"] >= SEED for agent in result["agents"])
