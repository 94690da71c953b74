"""A run whose terms end its search after so many calls: no call more, and then no generation more.

The try whose next call is not allowed is closed as it is, and is not valid (error class `budget`),
unless all that was missing is a reviewer's word on it. So the calls of a search are those on record
in its closing marks, killed or not, and a replay ends where the run did.
"""

from collections.abc import Callable

from msgspec import UNSET

from hyperspace.kernel.generation.run_context import Participant, RunContext
from hyperspace.messages import CallKey, ChatRequest
from hyperspace.models.base import BudgetReached
from hyperspace.tracing.calls import CallRecord
from hyperspace.tracing.traces import Served


class WithinBudget:
    """Finished calls, asked through a gate that no call beyond the budget passes."""

    def __init__(self, served: Served, budget: int, made: Callable[[], int]) -> None:
        """Put the gate before a trace.

        Args:
            served: The trace.
            budget: Calls of the whole search.
            made: How many of them are on record by now.
        """
        self._served = served
        self._budget = budget
        self._made = made

    def find(self, key: CallKey, request: ChatRequest, sha256: str) -> CallRecord | None:
        """Find the record that answers a request; see `Served`.

        Raises:
            BudgetReached: The budget is spent.
        """
        if self._made() >= self._budget:
            raise BudgetReached(f"the budget of {self._budget} calls is spent")
        return self._served.find(key, request, sha256)


def search_budget(context: RunContext) -> int | None:
    """Return how many calls the search of a run has in all; None for as many as it needs."""
    terms = context.config.solo or context.config.arena
    return None if terms is None or terms.budget is UNSET else terms.budget


def calls_before(context: RunContext, who: Participant) -> int:
    """Return how many calls of the budget are on record when an agent begins a generation."""
    sharing = context.participants if context.rounds.share_budget else (who,)
    return sum(sum(_calls_of(context, each)) for each in sharing)


def is_round_paid(context: RunContext, number: int) -> bool:
    """Return whether a round may begin, by what those before it took of a shared budget."""
    budget = search_budget(context)
    if budget is None:
        return True
    before = (
        _calls_of(context, who)[: max(number - context.config.joined(who.name), 0)]
        for who in context.participants
    )
    return sum(map(sum, before)) < budget


def _calls_of(context: RunContext, who: Participant) -> list[int]:
    """Return how many calls each closed generation of an agent took."""
    calls = context.calls.setdefault(who.name, [])
    for generation in range(len(calls), context.archives[who.name].next_generation()):
        calls.append(context.marks.closing(who.name, generation).calls)
    return calls


def is_spent(context: RunContext, who: Participant) -> bool:
    """Return whether the search of an agent is over, because its calls are made.

    One that agents share is over with a round.
    """
    budget = search_budget(context)
    if budget is None or context.rounds.share_budget:
        return False
    return calls_before(context, who) >= budget
