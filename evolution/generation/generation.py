"""One generation, as the eight steps of docs/architecture.md."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import msgspec

from agents.broker.broker import Broker
from agents.models.names import asked_name
from domains.base import Item
from evolution.evaluation.evaluate import (
    CandidateFailed,
    Evaluator,
    evaluate,
    evaluate_split,
    evaluate_train,
    validate,
)
from evolution.evaluation.repeats import pass_names
from evolution.events import ItemEvaluated
from evolution.generation.attempt import Attempt, raise_if_down
from evolution.generation.candidate import Candidate, Chosen
from evolution.generation.choosing import choose_parent
from evolution.generation.cursors import take_cursor
from evolution.generation.diagnosis import diagnose
from evolution.generation.ensemble import form_ensemble
from evolution.generation.modify import modify
from evolution.generation.publish import publish
from evolution.generation.report import report
from evolution.generation.review import review
from evolution.generation.run_context import Participant, RunContext
from evolution.generation.tournament import ROLES, is_tournament, played
from evolution.generation.visible_strategies import (
    VisibleStrategies,
    snapshot_visible,
    workspace_files,
)
from evolution.state.manifest import TEST, Side, SplitResult
from evolution.state.rng import stream
from guards.gates import GateResult, run_gates
from guards.sandboxes.sandbox import Running

Splits = dict[str, SplitResult]
Evaluate = Callable[[Evaluator], Awaitable[Splits]]


async def run_generation(context: RunContext, who: Participant, generation: int) -> None:
    """Play one agent's turn; when it returns, the generation exists.

    Raises:
        RunPaused: A model is down; the attempt is left to be set aside.
    """
    with Attempt(context, who, generation, f"gen_{generation}") as attempt:
        attempt.reach("look")
        visible = snapshot_visible(context, who, generation, take_cursor(attempt))
        chosen = await choose_parent(attempt)
        attempt.reach("materialize")
        if is_tournament(context.config, context.archives[who.name], generation):
            made = await _hold_tournament(attempt, visible, chosen)
        else:
            made = [await _make(attempt, visible, chosen)]
        made[0].ensemble = form_ensemble(context, made[0], attempt.solo)
        closing = publish(attempt, made, visible)
        attempt.compare(closing.manifest)
        attempt.reach("report")
        report(context, who, closing)


async def _make(attempt: Attempt, visible: VisibleStrategies, chosen: Chosen) -> Candidate:
    """Steps 2 to 6 of a generation."""
    candidate = Candidate.fork(attempt.context, attempt.who, attempt.generation, visible, chosen)
    if attempt.generation > 0:
        await _change(attempt, candidate, visible)
    await _judge(attempt, candidate, evaluate)
    return candidate


async def _hold_tournament(
    attempt: Attempt, visible: VisibleStrategies, chosen: Chosen
) -> list[Candidate]:
    """Steps 2 to 6 of two candidates, one after the other; the winner comes first."""
    context, judged = attempt.context, dict[Side, Candidate]()
    for role in ROLES:
        candidate = judged[role] = Candidate.fork(
            context, attempt.who, attempt.generation, visible, chosen, role
        )
        await _change(attempt, candidate, visible)
        await _judge(attempt, candidate, _on_train)
    tournament = played(
        {role: candidate.judged(context.domain) for role, candidate in judged.items()}
    )
    winner = judged.pop(tournament.winner)
    winner.tournament = tournament
    if winner.valid:
        await _evaluate(attempt, winner, partial(validate, train=winner.splits["train"]))
    return [winner, *judged.values()]


async def _on_train(evaluator: Evaluator) -> Splits:
    return {"train": await evaluate_train(evaluator)}


async def _change(attempt: Attempt, candidate: Candidate, visible: VisibleStrategies) -> None:
    """Steps 3 and 4: the agent rewrites its code; what its scope allows is taken in."""
    files = workspace_files(
        attempt.context, attempt.who, candidate.code, candidate.history, visible
    )
    files |= await diagnose(attempt, candidate)
    modified = await modify(attempt, candidate, files)
    parent_code = candidate.code
    candidate.take_in(modified.taken, attempt.edit_scope)
    review(attempt, candidate, parent_code, visible)
    if attempt.record is not None:
        # After the review: the record holds what the policies left, and what they found.
        attempt.record.obey_tools(candidate)
    if modified.error:
        candidate.fail("meta", modified.error)


async def _judge(attempt: Attempt, candidate: Candidate, how: Evaluate) -> None:
    """Steps 5 and 6: gates, then evaluation of what passed them."""
    attempt.reach("gate")
    if candidate.valid:
        await _gate(attempt, candidate)
    attempt.reach("evaluate")
    if candidate.valid:
        await _evaluate(attempt, candidate, how)


async def _gate(attempt: Attempt, candidate: Candidate) -> None:
    result = await _try_gates(attempt, candidate)
    if result.ended == "wall_clock":
        # The machine may have been busy: a wall clock that strikes counts from the second time on.
        result = await _try_gates(attempt, candidate)
    candidate.take_gate(result)


async def _try_gates(attempt: Attempt, candidate: Candidate) -> GateResult:
    smoke = attempt.context.domain.smoke_item()
    async with _open_worker(attempt, candidate) as worker:
        worker.broker.begin_item("gate", candidate.label(smoke.id))
        result = await run_gates(
            worker.running, smoke.inputs, worker.model, attempt.context.pace.gate_s
        )
        raise_if_down(worker.broker)
    return result


async def _evaluate(attempt: Attempt, candidate: Candidate, how: Evaluate) -> None:
    evaluator = open_bench(attempt, candidate)
    try:
        candidate.splits = await how(evaluator)
    except CandidateFailed as failure:
        candidate.fail("candidate", str(failure))
        return
    if attempt.solo is not None and attempt.solo.eval_test and "val" in candidate.splits:
        with suppress(CandidateFailed):  # what test shows decides nothing of a run
            candidate.splits = {**candidate.splits, TEST: await evaluate_split(evaluator, TEST)}


def open_bench(attempt: Attempt, candidate: Candidate) -> Evaluator:
    """Where a candidate is evaluated, as often as the run says."""
    names = pass_names(attempt.context.config.repeats)
    first, *repeats = (_open_bench(attempt, candidate, name) for name in names)
    return msgspec.structs.replace(first, repeats=repeats)


def _open_bench(attempt: Attempt, candidate: Candidate, in_pass: str) -> Evaluator:
    context, who = attempt.context, attempt.who
    # With the hash of the sealed data in the key, knowing the run seed does not tell the order.
    place = (who.name, candidate.generation, *filter(None, (candidate.role, in_pass)))
    key = (context.config.data_sha256, "order", *place)
    label = partial(candidate.label, in_pass=in_pass)
    return Evaluator(
        domain=context.domain,
        open_worker=lambda: _open_worker(attempt, candidate, in_pass),
        rng=lambda name: stream(context.config.root_seed, *key, name),
        on_item=lambda split, done, total: context.emit(
            ItemEvaluated(who.name, attempt.generation, split, done, total)
        ),
        workers=context.eval_workers,
        staged=attempt.solo is None or attempt.solo.staged,
        on_settled=lambda settled: attempt.settle(settled, label),
    )


class _SandboxWorker(msgspec.Struct, frozen=True):
    """A worker sandbox with its broker (see `evaluate.Worker`)."""

    running: Running
    broker: Broker
    model: str
    item_s: float
    label: Callable[[str], str]

    async def predict(self, purpose: str, item: Item, token: str) -> Mapping[str, Any]:
        """Ask for one prediction."""
        self.broker.begin_item(purpose, self.label(item.id))
        frame = {"op": "predict", "id": token, "inputs": item.inputs, "model": self.model}
        try:
            reply = await self.running.request(frame, self.item_s)
        finally:
            # Code that ends because its model is out of reach is not to blame for that.
            raise_if_down(self.broker)
        return reply if reply.get("id") == token else {"error": "answered another item"}


@asynccontextmanager
async def _open_worker(
    attempt: Attempt, candidate: Candidate, in_pass: str = ""
) -> AsyncGenerator[_SandboxWorker]:
    files = {path: text.encode() for path, text in candidate.code.items()}
    files |= attempt.context.runtime
    model = attempt.who.eval_model
    pace = attempt.context.pace
    label = partial(candidate.label, in_pass=in_pass)
    async with attempt.sandbox("worker", files, model, candidate.role, in_pass) as (
        running,
        broker,
    ):
        yield _SandboxWorker(running, broker, asked_name(model.name), pace.item_s, label)
