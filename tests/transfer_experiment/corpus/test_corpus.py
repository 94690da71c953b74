"""The corpus: its plan, a small one played and scored, and the statistics of a score."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.models.names import parse_options
from agents.offline.registry import get
from tests.support.paths import ROOT
from tests.support.sandboxes import needs_bubblewrap
from transfer_experiment.corpus.__main__ import main
from transfer_experiment.corpus.development import development
from transfer_experiment.corpus.held_out import held_out
from transfer_experiment.corpus.labels import TRUTHS
from transfer_experiment.corpus.plan import mini
from transfer_experiment.corpus.score import wilson

pytestmark = pytest.mark.long

CORPUS = (sys.executable, "-m", "transfer_experiment.corpus")


def build(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Build a corpus as a person does."""
    command = [*CORPUS, "build", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)


def scored(folder: Path, half: str, output: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The score of a half, by measure."""
    assert main(["score", str(folder), "--half", half, "--json"]) == 0
    return {row["measure"]: row for row in json.loads(output.readouterr().out)["measures"]}


def test_the_halves_are_apart_and_have_200_runs() -> None:
    both = [*development(), *held_out(), *mini()]
    assert len(development()) + len(held_out()) >= 200
    assert len({run.seed for run in both}) == len(both)
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
    assert "8 of 8 runs are not finished" in capsys.readouterr().err
    first = build(tmp_path, "--half", "mini", "--workers", "2")
    assert first.returncode == 0, first.stdout + first.stderr
    scores = scored(tmp_path, "mini", capsys)
    assert set(scores) == set(TRUTHS)
    for measure, score in scores.items():
        assert score["precision"]["hits"] > 0, measure
        assert score["precision"]["value"] == score["recall"]["value"] == 1.0, score
    assert main(["score", str(tmp_path), "--half", "mini", "--mistakes"]) == 0
    shown = capsys.readouterr().out
    assert "| adoption | 1.000 (1/1) | 0.207 to 1.000 | 1.000 (1/1) | 0.207 to 1.000 |" in shown


@pytest.mark.slow
@needs_bubblewrap
def test_every_detector_is_right_in_19_of_20_cases_on_the_whole_corpus(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built = build(tmp_path)
    assert built.returncode == 0, built.stdout + built.stderr
    for half in ("development", "held-out"):
        for measure, score in scored(tmp_path, half, capsys).items():
            assert score["precision"]["value"] >= 0.95, (half, measure, score)
            assert score["recall"]["value"] >= 0.95, (half, measure, score)


@pytest.mark.slow
@needs_bubblewrap
def test_an_interrupted_build_goes_on_where_it_was(tmp_path: Path) -> None:
    command = [*CORPUS, "build", str(tmp_path), "--half", "mini"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=ROOT, start_new_session=True
    ) as building:
        assert building.stdout is not None
        first = building.stdout.readline()
        os.killpg(building.pid, signal.SIGINT)
        building.stdout.read()
    assert building.returncode == 1
    again = build(tmp_path, "--half", "mini")
    assert again.returncode == 0, again.stdout + again.stderr
    assert first in again.stdout.splitlines(keepends=True)
    assert "8 runs, 0 failed" in again.stdout


def test_wilsons_interval_is_the_one_of_the_textbooks() -> None:
    share = wilson(8, 10)
    assert share.value == 0.8
    assert (round(share.low or 0, 4), round(share.high or 0, 4)) == (0.4902, 0.9433)
    assert wilson(0, 0).value is None


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_share_and_narrows_with_more_cases(counts: tuple[int, int]) -> None:
    hits, cases = counts
    few, more = wilson(hits, cases), wilson(10 * hits, 10 * cases)
    assert few.low is not None and few.high is not None and few.value is not None
    assert more.low is not None and more.high is not None
    assert -1e-12 <= few.low <= few.value + 1e-12
    assert few.value - 1e-12 <= few.high <= 1 + 1e-12
    assert more.high - more.low < few.high - few.low
