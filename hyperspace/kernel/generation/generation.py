"""One generation, as the eight steps of docs/architecture.md."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Final

from hyperspace.kernel.errors import BudgetSpent
from hyperspace.kernel.evaluation.evaluate import evaluate, evaluate_split, evaluate_train, validate
from hyperspace.kernel.evaluation.evaluator import CandidateFailed, Evaluator
from hyperspace.kernel.generation.arena.newborn import mutate_child
from hyperspace.kernel.generation.arena.solver import solver_files
from hyperspace.kernel.generation.arena.tester import is_tester, judge_proposals, tester_files
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.cached_results import reuse_results
from hyperspace.kernel.generation.candidate import Candidate, Chosen
from hyperspace.kernel.generation.choosing import choose_parent
from hyperspace.kernel.generation.cursors import take_cursor
from hyperspace.kernel.generation.diagnosis import diagnose
from hyperspace.kernel.generation.ensemble import form_ensemble
from hyperspace.kernel.generation.final import rescore
from hyperspace.kernel.generation.first_code import require_sound_start
from hyperspace.kernel.generation.levels.budget import within_budget
from hyperspace.kernel.generation.levels.reviewing import review_try
from hyperspace.kernel.generation.levels.worker import worker_files
from hyperspace.kernel.generation.modify import modify
from hyperspace.kernel.generation.publish import publish
from hyperspace.kernel.generation.report import report
from hyperspace.kernel.generation.review import review
from hyperspace.kernel.generation.run_context import Participant, RunContext
from hyperspace.kernel.generation.tournament import ROLES, is_tournament, played
from hyperspace.kernel.generation.visible_strategies import (
    VisibleStrategies,
    snapshot_visible,
    workspace_files,
)
from hyperspace.kernel.state.archive import Archive
from hyperspace.kernel.state.manifest import TEST, Side, SplitResult

GIVEN_UP: Final = "given up by the principal, because the model did not answer"
Evaluate = Callable[[Evaluator], Awaitable[dict[str, SplitResult]]]


async def run_generation(
    context: RunContext,
    who: Participant,
    generation: int,
    before_closing: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Play one agent's turn; when it returns, the generation exists.

    Args:
        context: Who plays.
        who: Whose turn it is.
        generation: Its number.
        before_closing: Awaited when the candidate is made, where others have to close first.

    Raises:
        RunPaused: A model is down; the attempt is left to be set aside.
    """
    with Attempt(context, who, generation, f"gen_{generation}") as attempt:
        attempt.reach("look")
        visible = snapshot_visible(context, who, generation, take_cursor(attempt))
        chosen = await choose_parent(attempt, visible.own)
        attempt.reach("materialize")
        if attempt.is_given_up:
            made = [_give_up(Candidate.fork(context, who, generation, visible, chosen))]
        elif is_tournament(context.config, visible.own, generation):
            made = await _hold_tournament(attempt, visible, chosen)
        else:
            candidate = Candidate.fork(context, who, generation, visible, chosen)
            with within_budget(candidate):
                if generation > 0:
                    await _change(attempt, candidate, visible)
                else:
                    await mutate_child(attempt, candidate, visible)
                await _judge(attempt, candidate, evaluate)
            made = [candidate]
        if before_closing is not None:
            await before_closing()
        if not attempt.is_given_up:
            with suppress(BudgetSpent):  # a try that nobody can review is done all the same
                await review_try(attempt, made[0], visible.own)
        made[0].rescored = await rescore(attempt)
        made[0].ensemble = form_ensemble(context, made[0], attempt.solo)
        context.steering.settled(who.name, generation)
        closing = await publish(attempt, made, visible)
        attempt.compare(closing.manifest)
        attempt.reach("report")
        report(context, who, closing)
        if generation == 0:
            require_sound_start(context, who, closing)


def _give_up(candidate: Candidate) -> Candidate:
    """Return a generation that the principal gave up, as it was forked: nothing was judged."""
    candidate.fail("infrastructure", GIVEN_UP)
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
        await _judge(attempt, candidate, evaluate_train)
    tournament = played({role: side.judged(context.domain) for role, side in judged.items()})
    winner = judged.pop(tournament.winner)
    winner.tournament = tournament
    if winner.valid:
        evaluator = attempt.evaluation(winner).evaluator()
        await _evaluate(attempt, winner, evaluator, partial(validate, train=winner.splits["train"]))
    return [winner, *judged.values()]


async def _change(attempt: Attempt, candidate: Candidate, visible: VisibleStrategies) -> None:
    """Steps 3 and 4: the agent rewrites its code; what its scope allows is taken in."""
    files = workspace_files(
        attempt.context,
        attempt.who,
        attempt.generation,
        candidate.code,
        candidate.history,
        visible,
    )
    files |= await diagnose(attempt, candidate)
    files |= _prompt_files(attempt, candidate, visible.own)
    modified = await modify(attempt, candidate, files)
    parent_code = candidate.code
    candidate.take_in(modified.taken, attempt.edit_scope)
    await review(attempt, candidate, parent_code, visible)
    if attempt.record is not None:
        # After the review: the record holds what the policies left, and what they found.
        attempt.record.obey_tools(candidate)
    candidate.is_unchanged = candidate.code == parent_code
    if modified.error:
        candidate.fail("meta", modified.error)


def _prompt_files(attempt: Attempt, candidate: Candidate, own: Archive) -> dict[str, bytes]:
    """Return the host's words to a worker of a level, or to an agent of an arena."""
    if attempt.context.arena is None:
        return worker_files(attempt, candidate, own)
    if is_tester(attempt.context, attempt.who.name):
        return tester_files(attempt)
    return solver_files(attempt, candidate, own)


async def _judge(attempt: Attempt, candidate: Candidate, how: Evaluate) -> None:
    """Steps 5 and 6: gates, then evaluation of what passed them; of a tester, the oracle's word."""
    if is_tester(attempt.context, attempt.who.name):
        attempt.reach("evaluate")
        return judge_proposals(attempt, candidate)
    attempt.reach("gate")
    if not candidate.valid or reuse_results(attempt, candidate):
        return attempt.reach("evaluate")
    async with attempt.evaluation(candidate).after_gates() as (result, evaluator):
        candidate.take_gate(result)
        attempt.reach("evaluate")
        if candidate.valid:
            await _evaluate(attempt, candidate, evaluator, how)


async def _evaluate(
    attempt: Attempt, candidate: Candidate, evaluator: Evaluator, how: Evaluate
) -> None:
    try:
        candidate.splits = await how(evaluator)
    except CandidateFailed as failure:
        candidate.fail("candidate", str(failure))
        return
    if attempt.solo is not None and attempt.solo.eval_test and "val" in candidate.splits:
        with suppress(CandidateFailed):  # what test shows decides nothing of a run
            candidate.splits |= {TEST: await evaluate_split(evaluator, TEST)}
