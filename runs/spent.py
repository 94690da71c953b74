"""Spending of a run of ours: from its summary, or, while it is not finished, from its ledger."""

from pathlib import Path
from typing import Any

import msgspec

from agents.spending.budget import SpendingState, SpendingTotal
from agents.spending.ledger_file import LedgerDamaged, read_lines
from runs.files import ReadingNotes
from runs.records import Spent


class _Spending(msgspec.Struct):
    total: SpendingTotal


class _Summary(msgspec.Struct):
    spending: _Spending


def spent_of(run: Path, summary: dict[str, Any], notes: ReadingNotes) -> Spent | None:
    """Return what a run took so far; None where neither summary nor ledger says so."""
    try:
        return _spent(msgspec.convert(summary, _Summary).spending.total)
    except msgspec.ValidationError:
        path, budget = run / "ledger.jsonl", SpendingState()
    try:
        for line in read_lines(path):
            budget.take(line)
    except FileNotFoundError:
        return None
    except LedgerDamaged:
        notes.add(path, "cannot be read, so what the run took is not known")
        return None
    return _spent(budget.spent)


def _spent(total: SpendingTotal) -> Spent:
    return Spent(total.calls, total.tokens, None if total.unpriced else total.cost_usd)
