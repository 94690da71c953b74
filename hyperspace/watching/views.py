"""How a run that is watched is shown: JSON lines, plain lines, or a live table on a terminal."""

import sys
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol

from hyperspace.printing.streaming import print_ascii
from hyperspace.watching.lines import (
    adoption_line,
    budget_line,
    last_closed,
    line_of,
    pause_line,
    present_lines,
    repair_line,
    run_line,
    state_line,
)
from reporting.lines import score
from runs.following.board import Board
from runs.following.events import Event

if TYPE_CHECKING:
    from rich.console import RenderableType

LATEST: Final = 8
TITLES: Final = ("agent", "closed", "last val", "best val", "test", "adopted", "refused", "calls")


class View(Protocol):
    """Shows a run that is watched."""

    def present(self, board: Board) -> None:
        """Show the state at which the watch begins."""
        ...

    def happened(self, event: Event, board: Board) -> None:
        """Show one event, and the state after it."""
        ...


class JsonView:
    """One JSON object a line, for the present state and for each event."""

    def present(self, board: Board) -> None:
        """Print the state at which the watch begins."""
        print_ascii(board)

    def happened(self, event: Event, board: Board) -> None:
        """Print one event."""
        print_ascii(event)


class PlainView:
    """Lines of text: several for the present state, one for each event."""

    def present(self, board: Board) -> None:
        """Print the state at which the watch begins."""
        for line in present_lines(board):
            print(line, flush=True)

    def happened(self, event: Event, board: Board) -> None:
        """Print one event."""
        line = line_of(event, board)
        if line is not None:
            print(line, flush=True)


class LiveView:
    """A table with one row an agent, and below it what happened last."""

    def __init__(self) -> None:
        self._board = Board()
        self._latest: deque[str] = deque(maxlen=LATEST)

    def present(self, board: Board) -> None:
        """Show the state at which the watch begins."""
        self._board = board

    def happened(self, event: Event, board: Board) -> None:
        """Show one event."""
        self._board = board
        line = line_of(event, board)
        if line is not None:
            self._latest.append(line)

    def picture(self) -> "RenderableType":
        """Return the table and the lines to draw now."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        board, table = self._board, Table(expand=False)
        for title in TITLES:
            table.add_column(title)
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
        return Group(*above, table, *map(Text, self._below()))

    def _below(self) -> list[str]:
        board = self._board
        lines = [*self._latest, *map(adoption_line, board.latest_adoptions)]
        if board.budget is not None:
            lines.append(budget_line(board.budget))
        if board.pause is not None:
            lines.append(pause_line(board.pause))
        if board.repair is not None:
            lines.append(repair_line(board.repair))
        return [*lines, state_line(board)]


@contextmanager
def view(*, as_json: bool, once: bool) -> Generator[View]:
    """Show a run while the context lasts.

    Args:
        as_json: For scripts.
        once: The present state alone, which needs no live table.
    """
    if as_json:
        yield JsonView()
    elif once or not sys.stdout.isatty():
        yield PlainView()
    else:
        from rich.live import Live

        shown = LiveView()
        with Live(get_renderable=shown.picture, refresh_per_second=4):
            yield shown
