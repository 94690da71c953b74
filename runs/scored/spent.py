"""What a run of ours took: from its summary, or, while it is not finished, from its ledger."""

from pathlib import Path
from typing import Any

import msgspec

from agents.spending.budget import Budget, Total
from agents.spending.ledger import LedgerDamaged, read_lines
from runs.scored.files import Notes
from runs.scored.records import Spent


class _Spending(msgspec.Struct):
    total: Total


class _Summary(msgspec.Struct):
    spending: _Spending


def spent_of(run: Path, summary: dict[str, Any], notes: Notes) -> Spent | None:
    """Return what a run took so far; None where neither summary nor ledger says so."""
    try:
        return _spent(msgspec.convert(summary, _Summary).spending.total)
    except msgspec.ValidationError:
        return _from_ledger(run / "ledger.jsonl", notes)


def _from_ledger(path: Path, notes: Notes) -> Spent | None:
    budget = Budget()
    try:
        for line in read_lines(path):
            budget.take(line)
    except FileNotFoundError:
        return None
    except LedgerDamaged:
        notes.add(path, "cannot be read, so what the run took is not known")
        return None
    return _spent(budget.spent)


def _spent(total: Total) -> Spent:
    return Spent(total.calls, total.tokens, None if total.unpriced else total.cost_usd)
