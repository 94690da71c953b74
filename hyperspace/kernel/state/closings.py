"""The closing marks of a run, without reading them all; and all of them, in order of writing."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from heapq import merge
from typing import NamedTuple

from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.manifest import TEST, Closing, Cursor, Incident, RunEnd, order_of
from hyperspace.kernel.state.marks import RunMarks, decode_closing, decode_incident
from hyperspace.kernel.state.scopes import GENERATIONS, VIOLATIONS
from markspace import Action, MarkType

Record = Closing | Incident


class ClosedGeneration(NamedTuple):
    """A closed generation, and the sequence of its closing mark."""

    sequence: int
    agent: str
    number: int


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


def closed_in_order(marks: RunMarks, after: int = 0) -> Iterator[ClosedGeneration]:
    """Name the closed generations in the order in which they were written, final ones left out.

    Args:
        marks: The run's marks.
        after: Only what was written after the mark with this sequence.
    """
    for sequence, mark in marks.space.history(GENERATIONS, MarkType.ACTION, after):
        agent = mark.scope.removeprefix(GENERATIONS).removeprefix("/")
        number = mark.resource.removeprefix("gen/") if isinstance(mark, Action) else ""
        if agent and number.isdecimal():
            yield ClosedGeneration(sequence, agent, int(number))


class ClosingOrder:
    """The order in which a run's generations were closed, which tells what a cursor means.

    It is read from the space where somebody asks for a moment of the past.

    Attributes:
        count: How many are closed.
    """

    def __init__(self, marks: RunMarks, archives: Mapping[str, Archive]) -> None:
        """Begin where nothing is closed.

        Args:
            marks: The run's marks.
            archives: What is closed of each agent.
        """
        self.count = 0
        self._marks = marks
        self._archives = archives
        self._sequence = 0
        self._places = defaultdict[str, list[int]](list)
        self._read = 0
        self._news: list[tuple[str, int]] = []

    def begin(self) -> None:
        """Begin where a run is taken up: with what the archives hold."""
        self.count = sum(archive.next_generation() for archive in self._archives.values())

    def add(self, agent: str, generation: int) -> None:
        """Take note that a generation is closed, which the agent's archive holds."""
        self.count += 1
        self._news.append((agent, generation))

    def take_news(self) -> list[tuple[str, int]]:
        """Return agents and generations that were added since this was called last."""
        news, self._news = self._news, []
        return news

    def closed(self, agent: str, cursor: Cursor) -> int:
        """Return how many generations of an agent were closed at some moment."""
        if isinstance(cursor, dict):
            return cursor.get(agent, 0)
        if cursor == self.count:
            return self._archives[agent].next_generation()
        if len(self._archives) == 1:
            return cursor
        self._read_until(cursor)
        return bisect_left(self._places[agent], cursor)

    def has_come_to(self, cursor: Cursor) -> bool:
        """Return whether everything is closed that was closed at some moment."""
        if isinstance(cursor, int):
            return self.count >= cursor
        return all(self._archives[name].next_generation() >= n for name, n in cursor.items())

    def _read_until(self, count: int) -> None:
        if self._read >= count:
            return
        for closed in closed_in_order(self._marks, self._sequence):
            self._places[closed.agent].append(self._read)
            self._sequence = closed.sequence
            self._read += 1


def end_on_record(marks: RunMarks, closed: int) -> RunEnd | None:
    """Return the end that a run came to before its last generation; None where it went on.

    Args:
        marks: The run's marks.
        closed: How many generations of all agents are closed.
    """
    ends = [each for each in incidents(marks) if isinstance(each, RunEnd)]
    return ends[-1] if ends and ends[-1].closed == closed else None


def incidents(marks: RunMarks) -> list[Incident]:
    """Return the incidents of the whole run, in order."""
    marked = marks.space.read(VIOLATIONS, mark_type=MarkType.ACTION, min_strength=0.0)
    decoded = [decode_incident(mark) for mark in marked if isinstance(mark, Action)]
    return sorted(decoded, key=lambda incident: incident.recorded_utc)
