"""Spending of a run of ours: from its summary, or, while it is not finished, from its ledger."""

from pathlib import Path
from typing import Any

import msgspec

from hyperspace.runs.files import ReadingNotes
from hyperspace.spending.budget import SpendingState, SpendingTotal
from hyperspace.spending.ledger_file import LedgerDamaged, read_lines
from hyperspace.spending.ledger_lines import SettledCall


class Spent(msgspec.Struct, frozen=True):
    """Calls, tokens and money of a run, or of one agent of it.

    Attributes:
        calls: Model calls that a provider may have billed.
        tokens: Tokens of them, sent and received.
        usd: Their price in US dollars; None if one is not known.
    """

    calls: int = 0
    tokens: int = 0
    usd: float | None = 0.0


def of_total(total: SpendingTotal) -> Spent:
    """Return what a ledger adds up to."""
    return Spent(total.calls, total.tokens, None if total.unpriced else total.cost_usd)


def spent_by_generation(run: Path) -> dict[tuple[str, int], Spent]:
    """Return what each generation took, by agent and number, as far as calls were settled.

    The number after an agent's last generation is its final evaluation.

    Returns:
        Empty where there is no ledger, or none that can be read.
    """
    totals: dict[tuple[str, int], SpendingTotal] = {}
    try:
        for line in read_lines(run / "ledger.jsonl"):
            if isinstance(line, SettledCall):
                totals.setdefault((line.agent, line.generation), SpendingTotal()).add((line,))
    except (OSError, LedgerDamaged):
        return {}
    return {key: of_total(total) for key, total in totals.items()}


class _Spending(msgspec.Struct):
    total: SpendingTotal


class _Summary(msgspec.Struct):
    spending: _Spending


def spent_of(run: Path, summary: dict[str, Any], notes: ReadingNotes) -> Spent | None:
    """Return what a run took so far; None where neither summary nor ledger says so."""
    try:
        return of_total(msgspec.convert(summary, _Summary).spending.total)
    except msgspec.ValidationError:
        path, budget = run / "ledger.jsonl", SpendingState()
    try:
        budget.take(read_lines(path))
    except FileNotFoundError:
        return None
    except (OSError, LedgerDamaged):
        notes.add(path, "cannot be read, so what the run took is not known")
        return None
    return of_total(budget.spent)
