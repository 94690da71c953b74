"""How a run that is watched is shown: JSON lines, plain lines, or a live table on a terminal."""

import sys
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from hyperspace.cli.printing.streaming import print_ascii
from hyperspace.cli.printing.terminal import console
from hyperspace.cli.watching.lines import (
    last_closed,
    line_of,
    present_lines,
    run_line,
    standing_lines,
)
from hyperspace.cli.watching.research_lines import (
    research_heading,
    research_line_of,
    research_present_lines,
    research_standing_lines,
)
from hyperspace.reporting.lines import score
from hyperspace.runs.following.events import State
from hyperspace.runs.following.live_state import Board
from hyperspace.runs.following.research_events import LogTold
from hyperspace.runs.following.research_live_state import ResearchBoard

if TYPE_CHECKING:
    from rich.console import RenderableType


class ShownEvents(Protocol):
    """Events of a look at a run of either kind."""

    @property
    def events(self) -> Sequence[Any]:
        """In order."""
        ...

    @property
    def is_behind(self) -> bool:
        """Whether there is more to be seen at once."""
        ...


class FollowsRun(Protocol):
    """Looks at a run of either kind again and again."""

    def look(self) -> ShownEvents:
        """Tell what happened since the last look."""
        ...


class ShownBoard(Protocol):
    """How a run of either kind stands: `Board` or `ResearchBoard`."""

    @property
    def state(self) -> State:
        """Whether it is worked on."""
        ...

    def take(self, event: Any) -> None:
        """Learn of one more event."""
        ...


LATEST: Final = 8
TITLES: Final = ("agent", "closed", "last val", "best val", "test", "adopted", "refused", "calls")


class LineView:
    """One JSON object a line, or lines of text: for the present state, and for each event."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json

    def present(self, board: ShownBoard) -> None:
        """Print the state at which the watch begins."""
        if self._as_json:
            print_ascii(board)
            return
        for line in _present(board):
            print(line, flush=True)

    def happened(self, event: Any, board: ShownBoard) -> None:
        """Print one event."""
        if self._as_json:
            print_ascii(event)
        elif (line := _line(event, board)) is not None:
            print(line, flush=True)


class LiveView:
    """A table with one row an agent, and below it what happened last."""

    def __init__(self) -> None:
        self._board: ShownBoard = Board()
        self._latest: deque[str] = deque(maxlen=LATEST)

    def present(self, board: ShownBoard) -> None:
        """Show the state at which the watch begins."""
        self._board = board

    def happened(self, event: Any, board: ShownBoard) -> None:
        """Show one event."""
        self._board = board
        line = None if isinstance(event, LogTold) else _line(event, board)
        if line is not None:
            self._latest.append(line)

    def picture(self) -> "RenderableType":
        """Return the table and the lines to draw now."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        board, table = self._board, Table(*TITLES, expand=False)
        if isinstance(board, ResearchBoard):
            heading = () if board.run is None else (research_heading(board.run),)
            lines = (*heading, *self._latest, *research_standing_lines(board))
            return Group(*map(Text, lines))
        board = cast("Board", board)
        for row in board.rows:
            cells = (
                row.agent,
                last_closed(row),
                score(row.val_score),
                score(row.best_val),
                score(row.test_score),
                str(row.adoptions),
                str(row.violations),
                str(row.taken.calls),
            )
            table.add_row(*map(Text, cells))
        above = () if board.run is None else (Text(run_line(board.run)),)
        below = (*self._latest, *standing_lines(board))
        return Group(*above, table, *map(Text, below))


def _line(event: Any, board: ShownBoard) -> str | None:
    if isinstance(board, ResearchBoard):
        return research_line_of(event, board)
    return line_of(event, board) if isinstance(board, Board) else None


def _present(board: ShownBoard) -> Iterator[str]:
    if isinstance(board, ResearchBoard):
        return research_present_lines(board)
    return present_lines(cast("Board", board))


View = LineView | LiveView
"""Shows a run that is watched."""


@contextmanager
def view(*, as_json: bool, once: bool) -> Generator[View]:
    """Show a run while the context lasts.

    Args:
        as_json: For scripts.
        once: The present state alone, which needs no live table.
    """
    if as_json or once or not sys.stdout.isatty():
        yield LineView(as_json=as_json)
    else:
        from rich.live import Live

        shown = LiveView()
        with Live(console=console(), get_renderable=shown.picture, refresh_per_second=4):
            yield shown
