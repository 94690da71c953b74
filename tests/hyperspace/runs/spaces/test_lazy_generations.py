"""Generations of a long run are read when they are looked at, and as every other run reads them."""

from pathlib import Path

import msgspec
import pytest

from benchmarks.dashboard.made_fleet import make_fleet
from hyperspace.runs.folders import read_run
from hyperspace.runs.records import Generation, RunAgent
from hyperspace.runs.spaces.lazy_generations import SoughtGenerations, read_outline

LAST = 12


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "seed1"
    make_fleet(folder, agents=3, last=LAST)
    return folder


def test_each_generation_is_read_as_that_of_a_run_that_is_read_whole(run: Path) -> None:
    whole, outline = read_run(run), read_outline(run)
    assert [agent.name for agent in outline.agents] == [agent.name for agent in whole.agents]
    for agent, sought in zip(whole.agents, outline.agents, strict=True):
        rows = [msgspec.structs.replace(row, meta_edited=None) for row in agent.generations]
        assert list(sought.generations) == rows
        assert sought.turn(LAST) == rows[-1]


def test_what_is_not_there_is_none(run: Path) -> None:
    agent = read_outline(run).agents[0]
    assert len(agent.generations) == LAST + 1
    assert agent.turn(LAST + 1) is None
    assert agent.turn(-1) is None
    assert isinstance(agent.generations, SoughtGenerations)
    assert list(agent.generations.read([3, 1, 99])) == [3, 1]


def test_texts_are_read_without_the_space(run: Path) -> None:
    (agent, *_), (whole, *_) = read_outline(run).agents, read_run(run).agents
    assert isinstance(agent.generations, SoughtGenerations)
    texts = agent.generations.texts("task_agent.py", 1, 4)
    assert [(at, text.read()) for at, text in texts] == [
        (row.generation, row.task.read()) for row in whole.generations[2:5]
    ]


@pytest.mark.parametrize("numbers", [[0, 1, 2], [0, 2, 3], [1, 2], [3], []])
def test_a_generation_is_known_by_its_number_where_some_are_missing(numbers: list[int]) -> None:
    agent = RunAgent("a", tuple(Generation(generation=at, valid=True) for at in numbers))
    rows = {at: agent.turn(at) for at in range(-1, 5)}
    assert [at for at, row in rows.items() if row and row.generation == at] == numbers
    assert sum(row is None for row in rows.values()) == 6 - len(numbers)
