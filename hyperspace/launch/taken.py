"""What a run has really taken, for its summary: money and time, and how far its passes vary."""

from typing import Any

import msgspec

from hyperspace.kernel.generation.generation_files import pass_scores
from hyperspace.kernel.state.manifest import TEST, best_of
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.launch.forecast import LEVELS, Amount, Forecast
from hyperspace.spending.ledger import Ledger


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
    sums = {level: getattr(forecast, level) for level in LEVELS}
    return msgspec.to_builtins({**sums, "fact": fact})


def passes_told(marks: RunMarks) -> dict[str, Any]:
    """The scores that each agent's best generation had, pass by pass; nothing of a single pass.

    They are draws of the same code on the same items: what separates them is chance.
    """
    if marks.config.repeats == 1:
        return {}
    passes: dict[str, dict[str, object]] = {}
    for agent in marks.config.agents:
        manifests = [closing.manifest for closing in marks.closings(agent)]
        finals = [manifest for manifest in manifests if manifest.generation == TEST]
        passes[agent] = {}
        for manifest in [*filter(None, [best_of(manifests)]), *finals[-1:]]:
            passes[agent] |= pass_scores(manifest)
    return {"passes": passes}
