"""The closing marks of a run, without reading them all; and all of them, in order of writing."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from heapq import merge

from evolution.state.manifest import TEST, Closing, Incident, order_of
from evolution.state.marks import RunMarks, decode_closing, decode_incident
from evolution.state.scopes import GENERATIONS, VIOLATIONS
from markspace import Action, MarkType

Record = Closing | Incident


def count_closed(marks: RunMarks, agent: str) -> int:
    """How many generations of an agent are closed; they have no gaps, so few are looked at."""
    beyond = 1
    while marks.is_closed(agent, beyond - 1):
        beyond *= 2
    return bisect_left(range(beyond), True, key=lambda number: not marks.is_closed(agent, number))


def last_closings(marks: RunMarks) -> dict[str, Closing | None]:
    """Return each agent's last closing: of its final evaluation, or of its newest generation.

    None where nothing was closed.
    """
    last: dict[str, Closing | None] = {}
    for agent in marks.config.agents:
        newest = TEST if marks.has_final(agent) else count_closed(marks, agent) - 1
        last[agent] = None if newest == -1 else marks.closing(agent, newest)
    return last


def every_closing(marks: RunMarks, agents: Iterable[str]) -> Iterator[Closing]:
    """The closings of all agents, by generation and agent; one of each is in memory at a time."""
    return merge(*map(marks.closings, agents), key=lambda closing: order_of(closing.manifest))


def records(marks: RunMarks, after: int = 0) -> Iterator[Record]:
    """Everything that the coordinator has put on record, in the order in which it was written.

    Args:
        marks: The run's marks.
        after: Only what was written after the mark with this sequence.
    """
    for _, mark in marks.space.history(mark_type=MarkType.ACTION, after=after):
        if isinstance(mark, Action) and mark.scope == VIOLATIONS:
            yield decode_incident(mark)
        elif mark.scope.startswith(f"{GENERATIONS}/"):
            yield decode_closing(mark, marks.config.turns)


def incidents(marks: RunMarks) -> list[Incident]:
    """Return the incidents of the whole run, in order."""
    marked = marks.space.read(VIOLATIONS, mark_type=MarkType.ACTION, min_strength=0.0)
    decoded = [decode_incident(mark) for mark in marked if isinstance(mark, Action)]
    return sorted(decoded, key=lambda incident: incident.recorded_utc)
