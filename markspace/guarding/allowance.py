"""Token budgets of all agents, kept by a guard."""

from dataclasses import dataclass, field
from threading import RLock
from uuid import UUID

from markspace.budget import BudgetStatus, BudgetTracker, TokenBudget
from markspace.core.agents import Agent
from markspace.core.marks import Need
from markspace.keeping.identity import AgentHandle
from markspace.space import MarkSpace
from markspace.telemetry import (
    METRIC_BUDGET_REMAINING,
    METRIC_TOKENS_INPUT,
    METRIC_TOKENS_OUTPUT,
    Emitter,
)

WARNING_PRIORITY = 0.7
WARNINGS = {BudgetStatus.WARNING_INPUT: "input", BudgetStatus.WARNING_OUTPUT: "output"}


@dataclass
class Allowances:
    """Counts tokens and binds agents to their budgets.

    Args:
        space: Where the principal is asked.
        system: Who asks.
        scope: Where.
        emitter: Gets counters and gauges.
        are_counted: Whether tokens of any agent with a budget were counted.
    """

    _space: MarkSpace
    _system: AgentHandle
    _scope: str
    _emitter: Emitter
    are_counted: bool = False
    _lock: RLock = field(default_factory=RLock)
    _trackers: dict[UUID, BudgetTracker] = field(default_factory=dict[UUID, BudgetTracker])
    _updated: dict[UUID, TokenBudget] = field(default_factory=dict[UUID, TokenBudget])

    def budget_of(self, agent: Agent) -> TokenBudget | None:
        """Return the budget that binds an agent: the updated one, or its manifest's."""
        declared = agent.manifest.budget if agent.manifest else None
        return self._updated.get(agent.id, declared)

    def status(self, agent_id: UUID) -> tuple[int, int, bool] | None:
        """Return input tokens, output tokens and exhaustion; None before anything was counted."""
        tracker = self._trackers.get(agent_id)
        if tracker is None:
            return None
        return tracker.total_input_consumed, tracker.total_output_consumed, tracker.exhausted

    def refusal(self, agent: Agent) -> str | None:
        """Return why an agent may not be activated, or None."""
        budget, tracker = self.budget_of(agent), self._trackers.get(agent.id)
        if budget is None or tracker is None:
            return None
        with self._lock:
            if not tracker.is_exhausted(budget):
                return None
        return f"the token budget of {agent.name!r} is exhausted; the principal can raise it"

    def record(self, agent: Agent, input_tokens: int, output_tokens: int) -> BudgetStatus:
        """Count the tokens of a round; warn the principal once per dimension.

        Returns:
            The first warning of this round if there is one, else how the budget stands.
        """
        name = str(agent.id)
        self._emitter.counter(METRIC_TOKENS_INPUT, input_tokens, agent_id=name)
        self._emitter.counter(METRIC_TOKENS_OUTPUT, output_tokens, agent_id=name)
        budget = self.budget_of(agent)
        if budget is None:
            return BudgetStatus.OK
        with self._lock:
            self.are_counted = True
            tracker = self._trackers.setdefault(agent.id, BudgetTracker())
            tracker.record_input(input_tokens)
            tracker.record_output(output_tokens)
            statuses = due(tracker, budget)
        for status in statuses:
            if (kind := WARNINGS.get(status)) is None:
                continue
            need = Need(
                scope=self._scope,
                question=f"The {kind} token budget of {agent.name} is nearly used up. Raise it?",
                context={"agent_id": name, "dimension": kind},
                priority=WARNING_PRIORITY,
            )
            self._space.write(self._system, need)
        self._gauge(name, tracker, budget)
        return statuses[0]

    def _gauge(self, agent_id: str, tracker: BudgetTracker, budget: TokenBudget) -> None:
        spent = {
            "input": (tracker.total_input_consumed, budget.max_input_tokens_total),
            "output": (tracker.total_output_consumed, budget.max_output_tokens_total),
        }
        for dimension, (used, ceiling) in spent.items():
            if ceiling is not None:
                left = max(0, ceiling - used)
                self._emitter.gauge(
                    METRIC_BUDGET_REMAINING, left, agent_id=agent_id, dimension=dimension
                )

    def update(self, agent: Agent, new_budget: TokenBudget) -> None:
        """Bind an agent to a new budget; it may resume if it is below every ceiling."""
        with self._lock:
            self._updated[agent.id] = new_budget
            tracker = self._trackers.get(agent.id)
            if tracker is not None:
                tracker.try_clear_exhaustion(new_budget)


def due(tracker: BudgetTracker, budget: TokenBudget) -> list[BudgetStatus]:
    """Return all warnings that are due and then how the budget stands."""
    statuses = [tracker.check_lifetime(budget)]
    while statuses[-1] in WARNINGS:
        statuses.append(tracker.check_lifetime(budget))
    return statuses
