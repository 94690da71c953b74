"""What a run has really taken, for its summary: sums of the ledger, and usage nobody knows."""

from typing import Any

import msgspec

from agents.spending.ledger import Ledger
from evolution.launch.forecast import Amount, Forecast


def spending(ledger: Ledger) -> dict[str, Any]:
    """Sums over all calls, by agent and purpose, and what was reserved and never settled."""
    unknown, budget = ledger.unknown(), ledger.budget
    return {
        "total": msgspec.to_builtins(budget.spent),
        "by": [
            {"agent": agent, "purpose": purpose, **msgspec.to_builtins(total)}
            for (agent, purpose), total in sorted(budget.by.items())
        ],
        "usage_unknown": {
            "calls": len(unknown),
            "most_tokens": sum(line.prompt_tokens + line.completion_tokens for line in unknown),
            "most_usd": sum(line.cost_usd or 0.0 for line in unknown),
        },
    }


def compared(forecast: Forecast, ledger: Ledger, seconds: float) -> dict[str, Any]:
    """A forecast's sums beside what they came to."""
    spent = ledger.budget.spent
    usd = None if spent.unpriced else spent.cost_usd
    fact = Amount(spent.calls, spent.prompt_tokens, spent.completion_tokens, usd, seconds)
    sums = {name: getattr(forecast, name) for name in ("low", "expected", "high")}
    return msgspec.to_builtins({**sums, "fact": fact})
