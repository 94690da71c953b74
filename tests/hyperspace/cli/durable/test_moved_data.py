"""A run whose data lie elsewhere by now is gone on with where they are."""

import json
import shutil
from pathlib import Path

import pytest

from tests.support.command import failed, hyperspace
from tests.support.paths import ROOT

pytestmark = pytest.mark.long

ATLAS = ROOT / "docs" / "examples" / "atlas"


def started(folder: Path, data: Path, *more: str) -> tuple[str | Path, ...]:
    return (
        *("solo", "--domain", "knowledge_qa", "--data", data, "--model", "offline/tinker"),
        *("--eval-model", "offline/examiner", "--judge", "offline/examiner", "--no-controls"),
        *("--iterations", "1", "--seed", "3", "--sandbox", "process", "--results", folder, *more),
    )


def test_a_paused_run_goes_on_with_data_that_have_moved(tmp_path: Path) -> None:
    first = Path(shutil.copytree(ATLAS, tmp_path / "first"))
    assert "--max-calls" in failed(
        hyperspace(*started(tmp_path / "r", first, "--max-calls", "9")), 1
    )
    run = next((tmp_path / "r").glob("**/run_config.json")).parent
    now = first.rename(tmp_path / "now")
    resume = ("resume", run, "--max-calls", "none", "--json")
    said = failed(hyperspace(*resume), 2)
    assert str(first) in said and "if the data have moved, name their folder with --data" in said
    assert "with --data" in failed(hyperspace("replay", run), 2)
    assert "--data names several" in failed(hyperspace(*resume, "--data", now, "--data", now), 2)
    other = Path(shutil.copytree(now, tmp_path / "other"))
    (other / "knowledge.md").write_text("Nothing is known.\n")
    assert "(--data names a folder;" in failed(hyperspace(*resume, "--data", other), 2)
    moved = json.loads(hyperspace(*resume, "--data", now).stdout)
    whole = json.loads(hyperspace(*started(tmp_path / "whole", now, "--json")).stdout)
    assert moved["digest"] == whole["digest"]
