"""A finished run is not made longer by a default, and says so where a number makes it longer."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import HYPERSPACE, PAIR, failed, hyperspace
from tests.support.runs.played import ROOT
from tests.support.runs.solos import MODEL

pytestmark = pytest.mark.long

SOLO = ("--model", MODEL, "--domain", "repo_quality", "--no-controls", "--sandbox", "process")
FINISHED = "this run was finished before: no work was done"


def test_a_solo_run_keeps_its_length_until_a_larger_number_is_given(tmp_path: Path) -> None:
    command = ("solo", *SOLO, "--results", tmp_path)
    assert hyperspace(*command, "--iterations", "1").returncode == 0
    (summary,) = tmp_path.rglob("seed42/summary.json")
    before = summary.read_bytes()
    again = hyperspace(*command)
    assert again.returncode == 0, again.stderr
    assert FINISHED in again.stdout
    assert summary.read_bytes() == before
    longer = hyperspace(*command, "--generations", "2")
    assert longer.returncode == 0, longer.stderr
    assert "finished at generation 1, and test was looked at then" in longer.stderr
    assert longer.stderr.index("marked test_exposed") < longer.stderr.index("gen 2/2")
    assert json.loads(summary.read_bytes())["test_exposed"] is True


def test_an_extension_that_is_refused_leaves_the_finished_run_as_it_was(tmp_path: Path) -> None:
    command = ("solo", *SOLO, "--results", tmp_path)
    assert hyperspace(*command, "--iterations", "1").returncode == 0
    (record,) = tmp_path.rglob("seed42/run_config.json")
    before, run = record.read_bytes(), record.parent
    (trace,) = run.glob("*/gen_1/llm_calls.jsonl")
    trace.rename(tmp_path / "aside")
    assert "is missing since" in failed(hyperspace(*command, "--iterations", "2"), 1)
    assert record.read_bytes() == before
    (tmp_path / "aside").rename(trace)
    (scores,) = run.glob("*/gen_1/eval_val/report.json")
    scores.unlink()  # what can be made again keeps nobody from going on
    longer = hyperspace(*command, "--iterations", "2")
    assert longer.returncode == 0, longer.stderr
    assert "eval_val/report.json is missing" in longer.stderr
    shorter = failed(hyperspace(*command, "--iterations", "1"), 2)
    assert "stop-agent NAME ends it earlier" in shorter


def test_the_published_command_leaves_a_finished_run_alone(tmp_path: Path) -> None:
    place = (*SOLO, "--results", str(tmp_path))
    assert hyperspace("solo", *place, "--iterations", "1").returncode == 0
    done = subprocess.run(
        [sys.executable, "-m", "replication.run", *place],
        cwd=ROOT,
        check=False,
        timeout=300,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert FINISHED in done.stdout


def test_a_pair_keeps_its_length_and_its_budgets(tmp_path: Path) -> None:
    command = ("pair", *PAIR, "--sandbox", "process", "--results", tmp_path)
    assert hyperspace(*command, "--budget", "1", "2").returncode == 0
    again = hyperspace(*command)
    assert again.returncode == 0, again.stderr
    assert FINISHED in again.stdout
    longer = failed(hyperspace(*command, "--generations", "3"), 2)
    assert "tinker has sat out since round 1 of 2" in longer
    assert "leave its budget at 1" in longer
    assert hyperspace(*command, "--budget", "1", "3").returncode == 0


def test_a_fleet_takes_a_number_in_place_of_its_files(tmp_path: Path) -> None:
    file = tmp_path / "fleet.toml"
    head = 'name = "f"\ndomain = "repo_quality"\n'
    file.write_text(f'{head}[[agents]]\nmodel = "offline/tinker"\n')
    command = ("fleet", "--config", file, "--results", tmp_path / "r", "--dry-run", "--json")
    calls = [
        json.loads(hyperspace(*command, option, number).stdout)["expected"]["calls"]
        for option, number in (("--generations", "2"), ("--iterations", "4"))
    ]
    assert calls[1] > calls[0]
    file.write_text(f'{head}[[agents]]\nmodel = "offline/tinker"\nbudget = 3\n')
    message = failed(hyperspace("fleet", "--config", file, "--generations", "2"), 2)
    assert "budget of its own" in message


def test_every_command_that_launches_knows_both_names_of_the_number() -> None:
    for command in ("pair", "solo", "fleet"):
        done = subprocess.run(
            [*HYPERSPACE, command, "--help"], capture_output=True, text=True, check=True
        )
        assert "--generations N, --iterations N" in done.stdout
