"""Manners of reading show a file, in a real shell."""

from collections.abc import Generator
from pathlib import Path

import pytest

from agents.runtime.agent.tools import close_all, load_tools
from hyperspace.offline.personas.base import functions
from hyperspace.offline.personas.manners import READINGS, Paths, read
from hyperspace.offline.plan import PlanStep
from hyperspace.offline.true_action import TrueAction

PEER = '"""A peer."""\n\nLIMIT = 3\n\n\ndef rule(x):\n    return x > LIMIT\n'
OWN = '"""Mine."""\n\n\ndef rule(x):\n    return x > 1\n'
ACTION = TrueAction("read_peer", "to try it")


@pytest.fixture
def at(tmp_path: Path) -> Paths:
    folder = tmp_path / "strategies" / "b_gen2"
    folder.mkdir(parents=True)
    (folder / "task_agent.py").write_text(PEER)
    (tmp_path / "task_agent.py").write_text(OWN)
    return Paths(str(tmp_path / "task_agent.py"), str(tmp_path / "strategies"), "b_gen2")


def shown(plan: Generator[PlanStep, str, None]) -> str:
    """Run the steps of a plan in the tools of the runtime; returns what it was told."""
    tools = load_tools()
    told: list[str] = []
    try:
        step = next(plan)
        while True:
            told.append(tools[step.tool].run(dict(step.arguments)))
            step = plan.send(told[-1])
    except StopIteration:
        return "\n".join(told)
    finally:
        close_all(tools)


@pytest.mark.parametrize("how", READINGS)
def test_every_manner_of_reading_shows_the_peers_code(at: Paths, how: str) -> None:
    assert "x > LIMIT" in shown(read(how, "I read it.", at, ACTION))


def test_two_authors_share_no_line_and_one_repeats_itself() -> None:
    first, other = functions(1, 5), functions(2, 5)
    assert functions(1, 5) == first
    lines = {line.strip() for line in first.splitlines() if line.strip()}
    assert not lines & {line.strip() for line in other.splitlines()}
    compile(first, "prose", "exec")
