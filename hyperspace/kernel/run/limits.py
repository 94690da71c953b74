"""Keeping a run within its limits: the ledger it opens, the time it takes, the stops on record."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import anyio

from hyperspace.kernel.errors import RunDamaged, RunLimited
from hyperspace.kernel.exception_groups import leaf_errors
from hyperspace.kernel.generation.report import record_incident
from hyperspace.kernel.generation.run_context import RunContext
from hyperspace.kernel.state.closings import last_closings
from hyperspace.kernel.state.lease import still_ours
from hyperspace.kernel.state.manifest import Stop
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.opening import OpenedRun
from hyperspace.spending.budget import SpendingLimits
from hyperspace.spending.ledger import Ledger
from hyperspace.spending.ledger_file import LedgerDamaged, LedgerLines
from hyperspace.wall_clock import utc_now
from markspace.stores.sql_store import SQLStore

BEAT_S: Final = 15.0
UNKNOWN: Final = (
    "without it nobody knows what the run has spent: put the original back, or use another "
    "--results folder"
)


@contextmanager
def open_ledger(
    path: Path,
    limits: SpendingLimits,
    least_bytes: int = 0,
    opened: OpenedRun | None = None,
) -> Generator[Ledger]:
    """Open a run's ledger while the context lasts.

    Args:
        path: The file.
        limits: What the run may take.
        least_bytes: How long it was once, as `longest_ledger` says.
        opened: The run; where its space is on a server the ledger is there, and the file a copy.

    Raises:
        RunDamaged: It holds what this version did not write, or lacks what was in it.
        RunHeld: Another coordinator has taken the run over.
    """
    with still_ours():
        lines = None if opened is None else _lines_on_server(path, opened)
        if lines is None:
            size_bytes = path.stat().st_size if path.exists() else 0
        else:
            size_bytes = lines.size_bytes()
        _require_size(path, size_bytes, least_bytes)
        try:
            ledger = Ledger(lines or path, limits)
        except LedgerDamaged as error:
            raise RunDamaged(f"{error}; {UNKNOWN}") from error
        with ledger:
            yield ledger


def _lines_on_server(path: Path, opened: OpenedRun) -> LedgerLines | None:
    store = opened.marks.space.store
    if not opened.writer.keeps_files or not isinstance(store, SQLStore):
        return None
    from hyperspace.spending.ledger_server import LedgerServer  # what most runs do without

    return LedgerServer(store, opened.writer.lease, path)


def _require_size(path: Path, size_bytes: int, least_bytes: int) -> None:
    if size_bytes < least_bytes:
        raise RunDamaged(
            f"{path} has {size_bytes} bytes, and had {least_bytes} when a generation was closed; "
            f"{UNKNOWN}"
        )


def longest_ledger(marks: RunMarks) -> int:
    """How long the ledger was when an agent's newest generation was closed, in bytes."""
    newest = last_closings(marks).values()
    return max((closing.ledger_bytes for closing in newest if closing is not None), default=0)


async def keep_time(ledger: Ledger) -> None:
    """Write the working time down again and again, until it is used up.

    Raises:
        RunLimited: It is used up.
    """
    while (left_s := ledger.left_s()) > 0:
        await anyio.sleep(min(BEAT_S, left_s))
        ledger.note_time()
    spent = ledger.budget.spent
    raise RunLimited(
        f"--max-hours {ledger.limits.hours} is reached: {ledger.worked_s() / 3600:.3g} hours of "
        f"work, {spent.tokens} tokens, ${spent.cost_usd:.4f} spent"
    )


@contextmanager
def stops_on_record(context: RunContext) -> Generator[None]:
    """Put a limit that is reached in the context on record before the run pauses."""
    try:
        yield
    except BaseException as error:  # a limit may stand in a group, beside others or another one
        limits = [leaf for leaf in leaf_errors(error) if isinstance(leaf, RunLimited)]
        for limit in limits[:1]:
            record_incident(context, Stop(limit.reached, utc_now()))
        raise
