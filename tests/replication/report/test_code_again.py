"""The noise floor from code that was evaluated again: the same code is the same in every file."""

from pathlib import Path

import pytest

from hyperspace.runs.finding import read_scored
from replication.report.build import study_of
from tests.replication.report.runs import ours

VALS = (0.5, 0.6, 0.64)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run whose generations have one task agent, and one tool below it."""
    folder = ours(tmp_path, "arm_a_full", 1, VALS)
    for at in range(len(VALS)):
        write(folder, at, "task_agent.py", "answer")
        write(folder, at, "agent/tools/bash.py", "tool")
    return folder


def write(run: Path, at: int, path: str, text: str) -> None:
    file = run / "climber" / f"gen_{at}" / "repo" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def floor(run: Path) -> list[tuple[int, float]]:
    (experiment,) = study_of(read_scored(run), "here").report.experiments
    assert all("every file of it" in noise.source for noise in experiment.noise)
    return [(noise.pairs, noise.largest) for noise in experiment.noise]


def test_equal_files_are_the_same_code(run: Path) -> None:
    assert floor(run) == [(2, 0.1)]


@pytest.mark.parametrize("path", ["agent/tools/bash.py", "agent/tools/new.py", "meta_agent.py"])
def test_code_that_differs_in_any_file_is_another(run: Path, path: str) -> None:
    write(run, 1, path, "other")
    assert floor(run) == [(1, 0.14)]  # generation 2 against 0


def test_a_file_under_another_name_is_another_code(run: Path) -> None:
    tools = run / "climber" / "gen_1" / "repo" / "agent" / "tools"
    (tools / "bash.py").rename(tools / "dash.py")
    assert floor(run) == [(1, 0.14)]


def test_code_of_which_a_file_cannot_be_read_is_not_compared(run: Path) -> None:
    write(run, 0, "agent/tools/bash.py", "version https://git-lfs.github.com/spec/v1\n")
    assert floor(run) == [(1, 0.04)]


def test_another_task_agent_is_another_code_and_nothing_is_said_of_noise(run: Path) -> None:
    for at in range(len(VALS)):
        write(run, at, "task_agent.py", f"answer {at}")
    assert floor(run) == []
