"""Policies on tasks with neither labels nor a scorer: they change something, untried."""

from pathlib import Path
from typing import Any

import pytest

from hyperspace.offline.registry import get
from tests.support.runs.simulation import Said, converse
from tests.support.tasks.scored_tasks import OFFSETS, ROUTES, ScoredTask


def play(
    task: ScoredTask, space: Path, policy: str, seed: int, code: str = "", **options: str
) -> Said:
    task.lay_out(space, [task.seed])
    (space / "task" / "score.py").unlink()
    (space / "task_agent.py").write_text(code or task.seed)
    return converse(get(policy, options), space, seed)


def answers(code: str) -> list[str]:
    space: dict[str, Any] = {"__name__": "task_agent"}
    exec(code, space)  # noqa: S102 - the policies' own edits of our seed
    return [space["TaskAgent"]("m").forward(dict(inputs))[0] for inputs in OFFSETS.items[:4]]


@pytest.mark.long
@pytest.mark.parametrize("policy", ["climber", "mutator"])
def test_each_generation_has_code_that_answers_otherwise(policy: str, tmp_path: Path) -> None:
    codes: list[str] = []
    for seed in range(4):
        space = tmp_path / str(seed)
        said = play(OFFSETS, space, policy, seed, repertoire="numbers")
        assert said.closing == "I changed the code: a change that is untried."
        codes.append((space / "task_agent.py").read_text())
    assert all(answers(code) != answers(OFFSETS.seed) for code in codes)
    assert all("NaN" not in answers(code) for code in codes)
    assert len({*codes}) > 1


@pytest.mark.long
def test_equal_seeds_give_equal_code(tmp_path: Path) -> None:
    spaces = [tmp_path / name for name in ("a", "b")]
    for space in spaces:
        play(OFFSETS, space, "climber", 3, trials="12")
    first, again = ((space / "task_agent.py").read_text() for space in spaces)
    assert first == again != OFFSETS.seed


@pytest.mark.long
def test_code_that_only_plays_episodes_is_changed_too(tmp_path: Path) -> None:
    space = tmp_path / "space"
    code = OFFSETS.seed.replace('inputs["x"]', 'inputs["x of a step"]')
    said = play(OFFSETS, space, "climber", 1, code, repertoire="numbers")
    assert said.closing == "I changed the code: a change that is untried."


@pytest.mark.long
def test_lists_change_too(tmp_path: Path) -> None:
    space = tmp_path / "space"
    play(ROUTES, space, "climber", 1, repertoire="lists")
    assert (space / "task_agent.py").read_text() != ROUTES.seed
