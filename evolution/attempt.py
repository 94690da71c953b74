"""One try at a generation: its work folder, its trace, its line to the models.

What a killed coordinator left of an earlier try is set aside; its finished model calls are
served from there, so that nothing is paid twice but what was in flight.
"""

import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any

from agents.broker import Broker, Refusal
from agents.models.base import Model
from agents.traces import CallRecord, Recorder, Trace, canonical_call, merge_traces
from evolution.errors import RunPaused
from evolution.events import ModelCalled, Step, StepReached
from evolution.manifest import Violation
from evolution.rng import derive_seed
from evolution.team import Participant, Team
from guards.sandbox import Job, Program, Running

TRACE = "llm_calls.jsonl"


class Attempt:
    """A try at one generation (or at the final evaluation) of one agent."""

    def __init__(self, team: Team, who: Participant, generation: int, name: str) -> None:
        self.team = team
        self.who = who
        self.generation = generation
        self.name = name
        team.marks.check_lease()
        self.number = team.folder.attempts(who.name, name)
        self.folder = team.folder.work(who.name, name)
        self.folder.mkdir(parents=True)
        self.started = time.monotonic()
        self.call_count = 0
        self.cost_usd: float | None = 0.0
        self.refused: list[Violation] = []
        self._calls: list[dict[str, Any]] = []
        self.recorder = Recorder(self.folder / TRACE, self._served(), self._on_call)

    def __enter__(self) -> "Attempt":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.recorder.close()

    def reach(self, step: Step) -> None:
        """Tell observers that a step begins."""
        self.team.emit(StepReached(self.who.name, self.generation, step))

    def seconds(self) -> float:
        """Wall time since this try began."""
        return time.monotonic() - self.started

    def calls(self) -> tuple[dict[str, Any], ...]:
        """This try's model calls in canonical form."""
        return tuple(sorted(self._calls, key=_call_order))

    @asynccontextmanager
    async def sandbox(
        self, program: Program, files: Mapping[str, bytes], model: Model
    ) -> AsyncGenerator[tuple[Running, Broker]]:
        """Start a sandbox with its own broker; what the broker refuses goes on record."""
        team = self.team
        seed = derive_seed(team.config.seed, "model", self.who.name, self.generation)
        broker = Broker(model, self.recorder, label=team.label, seed=seed)
        async with broker:
            job = Job(program, files, broker.dir, team.limits, team.label)
            async with team.sandbox.start(job) as running:
                yield running, broker
        self.refused.extend(map(_violation, broker.refusals))

    def _served(self) -> Trace | None:
        earlier = self.team.folder.abandoned_attempts(self.who.name, self.name)
        return merge_traces(path / TRACE for path in earlier) if earlier else None

    def _on_call(self, call: CallRecord) -> None:
        self.call_count += 1
        self._calls.append(canonical_call(call))
        if not call.served:
            self.team.ledger.add(self.who.name, self.generation, call)
        if self.cost_usd is None or call.cost_usd is None:
            self.cost_usd = None
        else:
            self.cost_usd += call.cost_usd
        self.team.emit(
            ModelCalled(self.who.name, self.generation, call.purpose, call.served, call.cost_usd)
        )


def raise_if_down(broker: Broker) -> None:
    """Turn a provider's outage that a broker has seen into a pause of the run."""
    if broker.outage is not None:
        raise RunPaused(
            f"the model does not answer: {broker.outage}; nothing is lost, "
            "run the same command again when it is back"
        )


def _violation(refusal: Refusal) -> Violation:
    topic = "budget" if refusal.kind == "budget" else "attack"
    what = f"{refusal.kind} request to the broker during {refusal.purpose}"
    return Violation(topic, what, "", "refused", refusal.detail, {"item": refusal.item})


def _call_order(call: Mapping[str, Any]) -> tuple[str, str, int]:
    return str(call["purpose"]), str(call["item"]), int(call["ordinal"])
