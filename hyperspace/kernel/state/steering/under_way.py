"""What agents are playing at present, as the folder and the lease of their run say."""

from collections.abc import Iterator
from pathlib import Path

from hyperspace.kernel.state.closings import count_closed
from hyperspace.kernel.state.folder import TEST_WORK, RunFolder
from hyperspace.kernel.state.lease import holder_of
from hyperspace.kernel.state.manifest import TEST
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.steering.records import Place


def attempts_under_way(folder: RunFolder, marks: RunMarks) -> dict[str, Place]:
    """Return what each agent that is at work has begun and not closed; nobody is at a standstill.

    Args:
        folder: The run's.
        marks: What its space holds.
    """
    places = dict[str, Place]()
    agents = () if holder_of(marks.space) is None else marks.config.agents
    for agent in agents:
        number = count_closed(marks, agent)
        # An attempt's folder is renamed just before it is closed.
        begun = folder.work(agent, f"gen_{number}"), folder.generation(agent, number)
        tests = folder.work(agent, TEST_WORK), folder.test_eval(agent)
        if any(path.exists() for path in begun):
            while folder.work(agent, f"gen_{number + 1}").exists():  # children side by side
                number += 1
            places[agent] = number
        elif any(path.exists() for path in tests) and not marks.has_final(agent):
            places[agent] = TEST
    return places


def begun_generations(folder: RunFolder, marks: RunMarks, agent: str) -> tuple[int, ...]:
    """Return the generations of an agent that were begun and not closed, also at a standstill.

    Args:
        folder: The run's.
        marks: What its space holds.
        agent: Whose.
    """
    closed = count_closed(marks, agent)
    places = [(folder.agent(agent), ".gen_"), (folder.agent(agent), "gen_")]
    numbers = {number for place in places for number in _numbers(*place)}
    numbers |= set(_numbers(folder.abandoned, f"{agent}_gen_"))
    return tuple(sorted(number for number in numbers if number >= closed))


def _numbers(folder: Path, prefix: str) -> Iterator[int]:
    """Name the generations that attempts below a folder are at, by what their names begin with."""
    for path in folder.glob(f"{prefix}*"):
        number = path.name.removeprefix(prefix).partition("_")[0]
        if number.isdecimal():
            yield int(number)
