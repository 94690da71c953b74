"""Whose each line of a file was first, by author and generation."""

from pathlib import Path

from hyperspace.runs.files import META, TASK, HeldText
from hyperspace.runs.records import Generation, RunAgent, StrategyRead
from transfer_experiment.adoption.provenance import (
    FileProvenance,
    LineSource,
    SourceLine,
    own_file,
)

SEED = "def answer(item):\n    return 'yes'\n"
OWN = "def answer(item):\n\n    return item['size'] > 3\n"
PEER = "def answer(item):\n    return item['weight'] * 0.7 + 2\n"


def agent(*turns: Generation) -> RunAgent:
    return RunAgent("ant", turns)


def turn(number: int, task: str, *seen: StrategyRead, meta: str = "") -> Generation:
    return Generation(
        generation=number, valid=True, task=HeldText(task), meta=HeldText(meta), seen=seen
    )


def strategy(peer: str, number: int, folder: str = "", meta: str = "") -> StrategyRead:
    name = folder or f"{peer}_gen{number}"
    return StrategyRead(peer, number, name, HeldText(PEER), HeldText(meta))


def source_lines(
    agent: RunAgent, generation: int, file: str = TASK, known: FileProvenance | None = None
) -> list[SourceLine]:
    """Label the lines of a file of a generation; empty if its text is missing."""
    turn = agent.turn(generation)
    stored = None if turn is None else own_file(turn, file)
    text = None if stored is None else stored.read()
    if text is None:
        return []
    known = known or FileProvenance(agent.name, file)
    known.advance(agent, generation)
    return known.label(agent, text)


def test_lines_are_the_seeds_the_agents_own_or_a_peers() -> None:
    ant = agent(turn(0, SEED), turn(1, OWN), turn(2, OWN + PEER, strategy("bee", 4)))
    sources = {line.text.strip(): line.source for line in source_lines(ant, 2)}
    assert sources["def answer(item):"] == LineSource("seed", 0)
    assert sources["return item['size'] > 3"] == LineSource("own", 1)
    assert sources["return item['weight'] * 0.7 + 2"] == LineSource("peer", 2, "bee", 4)
    assert sources[""] is None


def test_a_strategy_is_told_by_its_author_whatever_its_folder_is_called() -> None:
    ant = agent(turn(0, SEED), turn(1, PEER, strategy("bee", 7, folder="wasp_gen1")))
    assert source_lines(ant, 1)[1].source == LineSource("peer", 1, "bee", 7)


def test_the_own_past_shown_as_a_strategy_is_no_peers() -> None:
    ant = agent(turn(0, SEED), turn(1, PEER, strategy("ant", 0)))
    assert source_lines(ant, 1)[1].source == LineSource("own", 1)


def test_lines_of_the_meta_agent_are_compared_with_peers_meta_agents() -> None:
    meta = "PROMPT = 'look at what fails first'\n"
    ant = agent(turn(0, SEED), turn(1, SEED, strategy("bee", 2, meta=meta), meta=meta))
    assert source_lines(ant, 1, META)[0].source == LineSource("peer", 1, "bee", 2)


def test_what_was_read_for_a_later_generation_answers_for_an_earlier_one() -> None:
    ant = agent(turn(0, SEED), turn(1, OWN), turn(2, PEER, strategy("bee", 4)))
    known = FileProvenance("ant")
    newest = source_lines(ant, 2, known=known)
    assert known.upto == 2
    assert source_lines(ant, 1, known=known) == source_lines(ant, 1)
    assert source_lines(ant, 2, known=known) == newest


def test_a_missing_file_has_no_lines(tmp_path: Path) -> None:
    assert source_lines(agent(turn(0, SEED)), 0, "other.py") == []
    assert source_lines(agent(turn(0, SEED)), 5) == []
