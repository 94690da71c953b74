"""Manners do what they are there for, in a real shell; accounts of what was taken add up."""

from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.offline.personas.base import functions
from agents.offline.personas.manners import READINGS, TAKINGS, Paths, read, take
from agents.offline.personas.takers import mixture, way
from agents.offline.plan import PlanStep
from agents.offline.true_action import TrueAction
from agents.runtime.agent.tools import close_all, load_tools

PEER = '"""A peer."""\n\nLIMIT = 3\n\n\ndef rule(x):\n    return x > LIMIT\n'
OWN = '"""Mine."""\n\n\ndef rule(x):\n    return x > 1\n'
ACTION = TrueAction("read_peer", "to try it")
BLOCKS = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=8).map("\n\n\n".join)


@pytest.fixture
def at(tmp_path: Path) -> Paths:
    folder = tmp_path / "strategies" / "b_gen2"
    folder.mkdir(parents=True)
    (folder / "task_agent.py").write_text(PEER)
    (tmp_path / "task_agent.py").write_text(OWN)
    return Paths(str(tmp_path / "task_agent.py"), str(tmp_path / "strategies"), "b_gen2")


def played(plan: Generator[PlanStep, str, object]) -> tuple[object, list[str]]:
    """Run the steps of a plan in the tools of the runtime; returns its end and what it was told."""
    tools = load_tools()
    told: list[str] = []
    try:
        step = next(plan)
        while True:
            told.append(tools[step.tool].run(dict(step.arguments)))
            step = plan.send(told[-1])
    except StopIteration as end:
        return end.value, told
    finally:
        close_all(tools)


@pytest.mark.parametrize("how", READINGS)
def test_every_manner_of_reading_shows_the_peers_code(at: Paths, how: str) -> None:
    text, told = played(read(how, "I read it.", at, ACTION))
    assert "x > LIMIT" in "\n".join(told)
    assert text in ("", PEER)


@pytest.mark.parametrize("how", TAKINGS)
def test_every_manner_of_taking_makes_the_own_code_the_peers(at: Paths, how: str) -> None:
    done, _ = played(take(how, "I take it.", at, PEER, ACTION))
    assert done is True
    assert Path(at.own).read_text() == PEER


@given(BLOCKS, BLOCKS, st.floats(0, 1))
def test_a_mixture_lies_between_the_two(own: str, peer: str, share: float) -> None:
    mixed = mixture(own, peer, share)
    assert set(mixed.split("\n\n\n")) <= {*own.split("\n\n\n"), *peer.split("\n\n\n")}
    assert mixture(own, peer, 0) == own
    assert mixture(own, peer, 1) == peer
    assert mixture(own, own, share) == own


@given(BLOCKS, BLOCKS)
def test_the_way_is_0_where_one_stays_and_100_where_one_arrives(own: str, peer: str) -> None:
    if way(own, own, peer) is not None:
        assert way(own, own, peer) == 0
        assert way(own, peer, peer) == 100


def test_two_authors_share_no_line_and_one_repeats_itself() -> None:
    first, other = functions(1, 5), functions(2, 5)
    assert functions(1, 5) == first
    lines = {line.strip() for line in first.splitlines() if line.strip()}
    assert not lines & {line.strip() for line in other.splitlines()}
    compile(first, "prose", "exec")
