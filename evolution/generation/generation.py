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
    Bench,
    CandidateFailed,
    evaluate,
    evaluate_split,
    evaluate_train,
    validate,
)
from evolution.evaluation.repeats import pass_names
from evolution.events import ItemEvaluated
from evolution.generation.attempt import Attempt, raise_if_down
from evolution.generation.choosing import choose_parent
from evolution.generation.cursors import take_cursor
from evolution.generation.diagnosis import diagnose
from evolution.generation.draft import Chosen, Draft
from evolution.generation.ensemble import form_ensemble
from evolution.generation.modify import modify
from evolution.generation.publish import publish
from evolution.generation.report import report
from evolution.generation.review import review
from evolution.generation.sight import Sight, look, workspace_files
from evolution.generation.team import Participant, Team
from evolution.generation.tournament import ROLES, is_tournament, played
from evolution.state.manifest import TEST, Side, SplitResult
from evolution.state.rng import stream
from guards.gates import GateResult, run_gates
from guards.sandboxes.sandbox import Running

Splits = dict[str, SplitResult]
Evaluate = Callable[[Bench], Awaitable[Splits]]


async def run_generation(team: Team, who: Participant, generation: int) -> None:
    """Play one agent's turn; when it returns, the generation exists.

    Raises:
        RunPaused: A model is down; the attempt is left to be set aside.
    """
    with Attempt(team, who, generation, f"gen_{generation}") as attempt:
        attempt.reach("look")
        sight = look(team, who, generation, take_cursor(attempt))
        chosen = await choose_parent(attempt)
        attempt.reach("materialize")
        if is_tournament(team.config, team.archives[who.name], generation):
            made = await _hold_tournament(attempt, sight, chosen)
        else:
            made = [await _make(attempt, sight, chosen)]
        made[0].ensemble = form_ensemble(team, made[0], attempt.solo)
        closing = publish(attempt, made, sight)
        attempt.compare(closing.manifest)
        attempt.reach("report")
        report(team, who, closing)


async def _make(attempt: Attempt, sight: Sight, chosen: Chosen) -> Draft:
    """Steps 2 to 6 of a generation."""
    draft = Draft.fork(attempt.team, attempt.who, attempt.generation, sight, chosen)
    if attempt.generation > 0:
        await _change(attempt, draft, sight)
    await _judge(attempt, draft, evaluate)
    return draft


async def _hold_tournament(attempt: Attempt, sight: Sight, chosen: Chosen) -> list[Draft]:
    """Steps 2 to 6 of two candidates, one after the other; the winner comes first."""
    team, judged = attempt.team, dict[Side, Draft]()
    for role in ROLES:
        draft = judged[role] = Draft.fork(
            team, attempt.who, attempt.generation, sight, chosen, role
        )
        await _change(attempt, draft, sight)
        await _judge(attempt, draft, _on_train)
    tournament = played({role: draft.judged(team.domain) for role, draft in judged.items()})
    winner = judged.pop(tournament.winner)
    winner.tournament = tournament
    if winner.valid:
        await _evaluate(attempt, winner, partial(validate, train=winner.splits["train"]))
    return [winner, *judged.values()]


async def _on_train(bench: Bench) -> Splits:
    return {"train": await evaluate_train(bench)}


async def _change(attempt: Attempt, draft: Draft, sight: Sight) -> None:
    """Steps 3 and 4: the agent rewrites its code; what its scope allows is taken in."""
    files = workspace_files(attempt.team, attempt.who, draft.code, draft.history, sight)
    files |= await diagnose(attempt, draft)
    modified = await modify(attempt, draft, files)
    parent_code = draft.code
    draft.take_in(modified.taken, attempt.edit_scope)
    review(attempt, draft, parent_code, sight)
    if attempt.record is not None:
        # After the review: the record holds what the policies left, and what they found.
        attempt.record.obey_tools(draft)
    if modified.error:
        draft.fail("meta", modified.error)


async def _judge(attempt: Attempt, draft: Draft, how: Evaluate) -> None:
    """Steps 5 and 6: gates, then evaluation of what passed them."""
    attempt.reach("gate")
    if draft.valid:
        await _gate(attempt, draft)
    attempt.reach("evaluate")
    if draft.valid:
        await _evaluate(attempt, draft, how)


async def _gate(attempt: Attempt, draft: Draft) -> None:
    result = await _try_gates(attempt, draft)
    if result.ended == "wall_clock":
        # The machine may have been busy: a wall clock that strikes counts from the second time on.
        result = await _try_gates(attempt, draft)
    draft.take_gate(result)


async def _try_gates(attempt: Attempt, draft: Draft) -> GateResult:
    smoke = attempt.team.domain.smoke_item()
    async with _open_worker(attempt, draft) as worker:
        worker.broker.begin_item("gate", draft.label(smoke.id))
        result = await run_gates(
            worker.running, smoke.inputs, worker.model, attempt.team.pace.gate_s
        )
        raise_if_down(worker.broker)
    return result


async def _evaluate(attempt: Attempt, draft: Draft, how: Evaluate) -> None:
    bench = open_bench(attempt, draft)
    try:
        draft.splits = await how(bench)
    except CandidateFailed as failure:
        draft.fail("candidate", str(failure))
        return
    if attempt.solo is not None and attempt.solo.eval_test and "val" in draft.splits:
        with suppress(CandidateFailed):  # what test shows decides nothing of a run
            draft.splits = {**draft.splits, TEST: await evaluate_split(bench, TEST)}


def open_bench(attempt: Attempt, draft: Draft) -> Bench:
    """Where a draft is evaluated, as often as the run says."""
    names = pass_names(attempt.team.config.repeats)
    first, *again = (_open_bench(attempt, draft, name) for name in names)
    return msgspec.structs.replace(first, again=again)


def _open_bench(attempt: Attempt, draft: Draft, in_pass: str) -> Bench:
    team, who = attempt.team, attempt.who
    # With the hash of the sealed data in the key, knowing the run seed does not tell the order.
    place = (who.name, draft.generation, *filter(None, (draft.role, in_pass)))
    key = (team.config.data_sha256, "order", *place)
    label = partial(draft.label, in_pass=in_pass)
    return Bench(
        domain=team.domain,
        open_worker=lambda: _open_worker(attempt, draft, in_pass),
        rng=lambda name: stream(team.config.root_seed, *key, name),
        on_item=lambda split, done, total: team.emit(
            ItemEvaluated(who.name, attempt.generation, split, done, total)
        ),
        workers=team.options.eval_workers,
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
    attempt: Attempt, draft: Draft, in_pass: str = ""
) -> AsyncGenerator[_SandboxWorker]:
    files = {path: text.encode() for path, text in draft.code.items()}
    files |= attempt.team.runtime
    model = attempt.who.eval_model
    pace = attempt.team.pace
    label = partial(draft.label, in_pass=in_pass)
    async with attempt.sandbox("worker", files, model, draft.role, in_pass) as (running, broker):
        yield _SandboxWorker(running, broker, asked_name(model.name), pace.item_s, label)
