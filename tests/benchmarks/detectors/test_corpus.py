"""The corpus: its plan, a small one played and scored, and scenarios that somebody wrote."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from benchmarks.detectors.__main__ import main
from benchmarks.detectors.development import development
from benchmarks.detectors.held_out import held_out
from benchmarks.detectors.labels import TRUTHS
from benchmarks.detectors.plan import mini
from hyperspace.models.names import parse_options
from hyperspace.offline.registry import get
from tests.support.paths import ROOT
from tests.support.sandboxes import needs_bubblewrap

pytestmark = pytest.mark.long

CORPUS = (sys.executable, "-m", "benchmarks.detectors")
EXAMPLES = ROOT / "docs" / "examples" / "scenarios"
ADVERSARY = ROOT / "tests" / "data" / "adversary_scenarios.tar.xz"


def corpus(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command as a person does."""
    command = [*CORPUS, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)


def scored(
    output: pytest.CaptureFixture[str], folder: Path, *options: str
) -> dict[str, dict[str, Any]]:
    """The score of a half or of a folder of scenarios: measures by part and name."""
    assert main(["score", str(folder), *options, "--json"]) == 0
    parts = map(json.loads, output.readouterr().out.splitlines())
    return {part["part"]: {row["measure"]: row for row in part["measures"]} for part in parts}


def test_no_two_personas_runs_share_a_seed_and_the_halves_share_none() -> None:
    both = [*development(), *held_out(), *mini()]
    assert len({run.seed for run in both}) == len(both) >= 90
    assert not {run.models for run in development()} & {run.models for run in held_out()}


def test_every_planned_persona_exists() -> None:
    for run in (*development(), *held_out(), *mini()):
        for model in run.models:
            name, _, query = model.removeprefix("offline/").partition("?")
            assert get(name, parse_options(query, model))


@needs_bubblewrap
def test_a_small_corpus_is_played_and_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", str(tmp_path), "--half", "mini"]) == 2
    assert "5 of 5 runs are not finished" in capsys.readouterr().err
    first = corpus("build", tmp_path, "--half", "mini", "--workers", "2")
    assert first.returncode == 0, first.stdout + first.stderr
    parts = scored(capsys, tmp_path, "--half", "mini")
    assert set(parts["personas"]) == set(TRUTHS)
    for measure, score in parts["personas"].items():
        assert score["precision"]["hits"] > 0, measure
        assert score["precision"]["value"] == score["recall"]["value"] == 1.0, score
    true = {measure: score["recall"]["cases"] for measure, score in parts["scenarios"].items()}
    assert true == {"adopted": 4, "from_whom": 4, "inspired": 1}
    assert main(["score", str(tmp_path), "--half", "mini", "--mistakes"]) == 0
    shown = capsys.readouterr().out
    assert "| stuck | 1.000 (" in shown
    assert "\n| cat | 1.000 (2/2), 0.342 to 1.000 | " in shown
    assert "left out" not in shown


@needs_bubblewrap
def test_a_folder_of_scenarios_is_played_and_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(EXAMPLES, folder)
    text = (folder / "whole.toml").read_text().replace("2.4/", "2.5/")
    wrong = text.replace('< 0.125"]', '< 0.25"]')
    (folder / "wrong.toml").write_text(wrong)
    assert main(["score", str(folder)]) == 2
    assert "whole is not finished" in capsys.readouterr().err
    played = corpus("play", folder)
    assert played.returncode == 0, played.stdout + played.stderr
    assert main(["score", str(folder), "--json"]) == 1
    (score,) = map(json.loads, capsys.readouterr().out.splitlines())
    assert score["not_borne_out"] == [
        "wrong ana gen 2: lines that are said to have come in did not"
    ]
    measures = {row["measure"]: row for row in score["measures"]}
    assert (
        measures["from_whom"]["precision"]["hits"] == measures["from_whom"]["recall"]["cases"] == 1
    )
    (folder / "wrong.toml").write_text(wrong.replace("2.5", "2.6"))
    again = corpus("play", folder)
    assert again.returncode == 1
    assert "whole: " in again.stdout and "wrong: failed: " in again.stdout


def test_a_folder_that_is_none_or_has_an_odd_file_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", str(tmp_path / "none")]) == 2
    (tmp_path / "a b.toml").write_text("")
    assert main(["play", str(tmp_path)]) == 2
    assert "name it with letters" in capsys.readouterr().err
    (tmp_path / "a b.toml").rename(tmp_path / "a.toml")
    assert main(["play", str(tmp_path)]) == 2
    assert "missing required field `agents`" in capsys.readouterr().err


@pytest.mark.slow
@needs_bubblewrap
def test_every_detector_is_right_in_nearly_all_cases_on_the_whole_corpus(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built = corpus("build", tmp_path)
    assert built.returncode == 0, built.stdout + built.stderr
    for half in ("development", "held-out"):
        parts = scored(capsys, tmp_path, "--half", half)
        wanted = {**dict.fromkeys(TRUTHS, 0.95), "adopted": 0.97, "from_whom": 0.97}
        for measure, score in (parts["personas"] | parts["scenarios"]).items():
            if measure in wanted:
                assert score["precision"]["value"] >= wanted[measure], (half, measure, score)
                assert score["recall"]["value"] >= wanted[measure], (half, measure, score)


@pytest.mark.slow
@needs_bubblewrap
def test_the_scenarios_of_an_adversary_are_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # They call perl, vim, git, zip, sqlite3 and others; turns whose programs are not installed
    # here do otherwise than written, and are left out of the score.
    with tarfile.open(ADVERSARY) as archive:
        archive.extractall(tmp_path, filter="data")
    corpus("play", tmp_path)
    main(["score", str(tmp_path), "--json"])
    (score,) = map(json.loads, capsys.readouterr().out.splitlines())
    measures = {row["measure"]: row for row in score["measures"]}
    for measure in ("adopted", "from_whom"):
        assert measures[measure]["recall"]["cases"] >= 40
        assert measures[measure]["precision"]["value"] >= 0.95, measures[measure]
        assert measures[measure]["recall"]["value"] >= 0.95, measures[measure]


@pytest.mark.slow
@needs_bubblewrap
def test_an_interrupted_build_goes_on_where_it_was(tmp_path: Path) -> None:
    options = ("--half", "mini", "--part", "personas")
    command = [*CORPUS, "build", str(tmp_path), *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True
    ) as building:
        assert building.stdout is not None
        first = building.stdout.readline()
        os.killpg(building.pid, signal.SIGINT)
        building.stdout.read()
    assert building.returncode == 130
    again = corpus("build", tmp_path, *options)
    assert again.returncode == 0, again.stdout + again.stderr
    assert first in again.stdout.splitlines(keepends=True)
    assert "5 runs, 0 failed" in again.stdout
