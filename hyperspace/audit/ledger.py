"""What the ledger of a run has lost: lines that are missing, or are none of a ledger."""

from collections.abc import Iterator
from math import isclose
from pathlib import Path
from typing import Final

import msgspec

from guards.parsing import decode_json
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.kernel.errors import RunError
from hyperspace.kernel.run.limits import longest_ledger
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.opening import reading
from hyperspace.kernel.state.replacements import changes_by_path, replacements
from hyperspace.spending.budget import SpendingState, SpendingTotal
from hyperspace.spending.ledger_file import LedgerDamaged, read_lines
from hyperspace.spending.ledger_lines import LedgerHead, Line, ReservedCall, Worked
from markspace.errors import StoreError

TOO_LOW: Final = "its sums of calls, tokens and money are too low"


def ledger_damage(folder: RunFolder, marks: RunMarks) -> str:
    """Return in one sentence what a run's ledger has lost; empty where that is nothing.

    Args:
        folder: Where it lies; the run may be being played.
        marks: Its open space.
    """
    least_bytes = longest_ledger(marks)  # first: a ledger only grows
    changes = changes_by_path(each.files for each in replacements(marks.space).values())
    is_redacted = folder.ledger.name in changes
    told = _told(folder.summary) if marks.has_finals else SpendingTotal()
    lost = _lost(folder, told, 0 if is_redacted else least_bytes, is_needed=least_bytes > 0)
    return f"{folder.ledger.name}: {lost}" if lost else ""


def ledger_damage_in(run: Path) -> str:
    """Return the same of the run in a folder; empty, too, where its space cannot be read."""
    try:
        with reading(RunFolder(run), read_record_of(run).configuration) as marks:
            return ledger_damage(RunFolder(run), marks)
    except (RunError, StoreError, OSError):
        return ""


def _lost(folder: RunFolder, told: SpendingTotal, least_bytes: int, *, is_needed: bool) -> str:
    sums = SpendingState()
    try:
        sums.take(_following_each_other(folder.ledger))
        size_bytes = folder.ledger.stat().st_size
    except FileNotFoundError:
        return "it is missing, so what the run took is not known" if is_needed else ""
    except LedgerDamaged as error:
        why = str(error).removeprefix(f"{folder.ledger}, ")
        return f"{why}; nothing counts from there on, so {TOO_LOW}"
    except OSError as error:
        return f"it cannot be read ({error.strerror or error}), so {TOO_LOW}"
    if size_bytes < least_bytes:
        return (
            f"lines are missing (it has {size_bytes} bytes, and had {least_bytes} when a "
            f"generation was closed), so {TOO_LOW}"
        )
    if any(_is_less(sums.spent, told, field) for field in SpendingTotal.__struct_fields__):
        return (
            f"it comes to {_in_words(sums.spent)}, and {folder.summary.name} to "
            f"{_in_words(told)}: lines were taken out or changed, so {TOO_LOW}"
        )
    return ""


def _following_each_other(path: Path) -> Iterator[Line]:
    """Yield the lines of a ledger.

    Raises:
        LedgerDamaged: One cannot be read, or ends a call that none before it reserved.
        OSError: There is none, or it cannot be read.
    """
    open_ = set[str]()
    for number, line in enumerate(read_lines(path), 1):
        if isinstance(line, ReservedCall):
            open_.add(line.id)
        elif not isinstance(line, LedgerHead | Worked):
            if line.id not in open_:
                raise LedgerDamaged(
                    f"{path}, line {number} ends a call that no line before it reserves: lines "
                    "before it are missing"
                )
            open_.remove(line.id)
        yield line


class _Spending(msgspec.Struct):
    total: SpendingTotal


class _Summary(msgspec.Struct):
    spending: _Spending


def _told(summary: Path) -> SpendingTotal:
    """Return what a finished run took, as its summary says; zeros where it says nothing of it."""
    try:
        return decode_json(read_whole(summary), _Summary).spending.total
    except (Unreadable, msgspec.MsgspecError):
        return SpendingTotal()


def _is_less(sums: SpendingTotal, told: SpendingTotal, field: str) -> bool:
    here, there = getattr(sums, field), getattr(told, field)
    return here < there and not isclose(here, there)


def _in_words(total: SpendingTotal) -> str:
    return f"{total.calls} calls, {total.tokens} tokens and ${total.cost_usd:.6g}"
