"""What a page is told: the differences between what it shows and how the run stands now."""

from typing import Final

import msgspec

from hyperspace.dashboard.links import Links
from hyperspace.dashboard.pages.run_cells import Cell, cells_of
from hyperspace.dashboard.results.arrows import AdoptionArrow
from hyperspace.dashboard.results.followed import FollowedRun, Present
from hyperspace.dashboard.results.latest import LatestMark
from hyperspace.runs.following.scores import VALID, number_at

MOST_POINTS: Final = 100  # in one message; a page that lacks more asks for its curves again


class NewPoint(msgspec.Struct, frozen=True, array_like=True):
    """One more generation: the number of its agent, and its scores."""

    agent: int
    generation: int
    val: float | None
    best: float | None
    train: float | None
    valid: bool


class LiveMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    """What changed.

    Attributes:
        sequence: The last mark that is in here; also the id of the event.
        last: Newest generation of each agent, in turn order.
        cells: New texts by the id of their place, each with the address where it leads.
        points: Generations that were closed; where there were very many, none is here.
        marks: Marks that appeared, each with its sequence, on one line.
        arrows: Adoptions that became known.
    """

    sequence: int
    last: tuple[int, ...] = ()
    cells: dict[str, Cell] = {}
    points: tuple[NewPoint, ...] = ()
    marks: tuple[LatestMark, ...] = ()
    arrows: tuple[AdoptionArrow, ...] = ()


class Teller:
    """Remembers what was told of a run, and tells what is new."""

    def __init__(self, run: FollowedRun, run_id: str, links: Links) -> None:
        self._run = run
        self._run_id = run_id
        self._links = links
        self._cells: dict[str, Cell] = {}
        self._lengths: list[int] | None = None
        self._arrows = 0
        self._sequence = 0

    def whole(self, after: int) -> LiveMessage:
        """Return all that a page shows but for curves, which it asks for if it lacks some.

        Args:
            after: The last mark that the page knows; 0 for none.
        """
        present = self._run.look()
        cells = cells_of(self._run, present, self._run_id, self._links)
        return LiveMessage(
            sequence=present.sequence,
            last=_last(present),
            cells=cells,
            marks=tuple(mark for mark in present.marks if mark.sequence > after),
            arrows=tuple(self._run.arrows.known),
        )

    def news(self) -> LiveMessage | None:
        """Return what is new since the last call; None if nothing is."""
        present = self._run.look()
        cells = cells_of(self._run, present, self._run_id, self._links)
        arrows = self._run.arrows.known
        message = LiveMessage(
            sequence=present.sequence,
            last=_last(present),
            cells={key: cell for key, cell in cells.items() if cell != self._cells.get(key)},
            points=self._points(present),
            marks=tuple(mark for mark in present.marks if mark.sequence > self._sequence),
            arrows=tuple(arrows[self._arrows :]),
        )
        self._cells, self._arrows, self._sequence = cells, len(arrows), present.sequence
        is_new = message.cells or message.points or message.marks or message.arrows
        return message if is_new else None

    def _points(self, present: Present) -> tuple[NewPoint, ...]:
        columns = list(present.columns.values())
        before = self._lengths or [len(each) for each in columns]
        self._lengths = [len(each) for each in columns]
        if sum(self._lengths) - sum(before) > MOST_POINTS:
            return ()
        return tuple(
            NewPoint(
                at,
                generation,
                number_at(each.val, generation),
                number_at(each.best, generation),
                number_at(each.train, generation),
                bool(each.flags[generation] & VALID),
            )
            for at, each in enumerate(columns)
            for generation in range(before[at], self._lengths[at])
        )


def _last(present: Present) -> tuple[int, ...]:
    return tuple(len(each) - 1 for each in present.columns.values())
