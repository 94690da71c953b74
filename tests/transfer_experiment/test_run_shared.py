"""The published command: its flags, and what becomes of them."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.support.runs.played import ROOT
from transfer_experiment.run_shared import pair_arguments

MODELS = ("--models", "offline/tinker", "offline/magpie")


def forecast(*options: str) -> Any:
    """What the command would take, by agent and work."""
    command = [sys.executable, "-m", "transfer_experiment.run_shared", *MODELS, *options]
    nowhere = ("--dry-run", "--json", "--results", os.devnull)
    done = subprocess.run(
        [*command, *nowhere], cwd=ROOT, capture_output=True, text=True, check=True
    )
    parts = json.loads(done.stdout)["parts"]
    return {(part["agent"], part["work"]): part["expected"]["calls"] for part in parts}


def test_published_flags_are_those_of_a_pair() -> None:
    assert pair_arguments([*MODELS, "--iterations", "3", "--seed", "7", "--data", "d"]) == [
        *MODELS,
        *("--generations", "3", "--seed", "7", "--domain", "imo_grading"),
        *("--data", "d"),
    ]


@pytest.mark.long
def test_a_budget_is_generations_of_each_agent() -> None:
    calls = forecast("--iterations", "9", "--budget", "2", "6", "--domain", "repo_quality")
    assert calls["magpie", "modify"] == 3 * calls["tinker", "modify"] > 0


def test_without_a_number_only_a_new_run_takes_the_published_one() -> None:
    assert pair_arguments([*MODELS])[3:5] == ["--generations-if-new", "20"]


def test_an_unknown_option_is_refused_with_a_pointer_to_help() -> None:
    command = [sys.executable, "-m", "transfer_experiment.run_shared", "--iterations", "3"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--models" in done.stderr
    assert "python -m transfer_experiment.run_shared --help shows" in done.stderr
