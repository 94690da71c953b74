"""What the page of a research run is told; curves it asks for again when an idea is closed."""

from hyperspace.dashboard.links import Links
from hyperspace.dashboard.live.messages import LiveMessage
from hyperspace.dashboard.live.research_cells import cells_of_research
from hyperspace.dashboard.pages.run_cells import Cell
from hyperspace.dashboard.results.followed_research import FollowedResearch, ResearchStanding


class ResearchTeller:
    """Remembers what was told of a research run, and tells what is new."""

    def __init__(self, run: FollowedResearch, run_id: str, links: Links) -> None:
        self._run = run
        self._run_id = run_id
        self._links = links
        self._cells: dict[str, Cell] = {}
        self._sequence = 0

    def whole(self, after: int) -> LiveMessage:
        """Return all that a page shows but for curves; see `Teller`."""
        standing = self._run.look()
        return self._message(standing, self._cells_of(standing), after)

    def news(self) -> LiveMessage | None:
        """Return what is new since the last call; None if nothing is."""
        standing = self._run.look()
        cells = self._cells_of(standing)
        new = {key: cell for key, cell in cells.items() if cell != self._cells.get(key)}
        message = self._message(standing, new, self._sequence)
        self._cells, self._sequence = cells, standing.sequence
        return message if message.cells or message.marks else None

    def _cells_of(self, standing: ResearchStanding) -> dict[str, Cell]:
        return cells_of_research(self._run, standing, self._run_id, self._links)

    def _message(
        self, standing: ResearchStanding, cells: dict[str, Cell], after: int
    ) -> LiveMessage:
        return LiveMessage(
            sequence=standing.sequence,
            last=(len(standing.ideas) - 1,),
            cells=cells,
            marks=tuple(mark for mark in standing.latest if mark.sequence > after),
        )
