"""One generation, as the eight steps of docs/architecture.md."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

from hyperspace.kernel.errors import BudgetSpent
from hyperspace.kernel.evaluation.evaluate import evaluate, evaluate_split
from hyperspace.kernel.evaluation.evaluator import CandidateFailed, Evaluator
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.cached_results import reuse_results
from hyperspace.kernel.generation.candidate import Candidate, Chosen
from hyperspace.kernel.generation.choosing import choose_parent
from hyperspace.kernel.generation.cursors import take_cursor
from hyperspace.kernel.generation.extension import extensions
from hyperspace.kernel.generation.first_code import require_sound_start
from hyperspace.kernel.generation.modify import modify
from hyperspace.kernel.generation.publish import publish
from hyperspace.kernel.generation.report import report
from hyperspace.kernel.generation.review import review
from hyperspace.kernel.generation.run_context import Participant, RunContext
from hyperspace.kernel.generation.visible_strategies import (
    VisibleStrategies,
    snapshot_visible,
    workspace_files,
)
from hyperspace.kernel.state.manifest import TEST, SplitResult

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
        made = await _make(attempt, visible, chosen)
        if before_closing is not None:
            await before_closing()
        for extension in extensions(context):
            await extension.before_close(attempt, made[0], visible.own)
        context.steering.settled(who.name, generation)
        closing = await publish(attempt, made, visible)
        attempt.compare(closing.manifest)
        attempt.reach("report")
        report(context, who, closing)
        if generation == 0:
            require_sound_start(context, who, closing)


async def _make(attempt: Attempt, visible: VisibleStrategies, chosen: Chosen) -> list[Candidate]:
    """Steps 2 to 6; the candidate that the generation comes to is the first."""
    asked = () if attempt.is_given_up else tuple(extensions(attempt.context))
    for extension in asked:
        if made := await extension.make(attempt, visible, chosen):
            return made
    fork = Candidate.fork(attempt.context, attempt.who, attempt.generation, visible, chosen)
    if attempt.is_given_up:
        fork.fail("infrastructure", GIVEN_UP)  # as it was forked: nothing was judged
        return [fork]
    try:
        if attempt.generation > 0:
            await change(attempt, fork, visible)
        else:
            for extension in asked:
                await extension.begin(attempt, fork, visible)
        await judge(attempt, fork, evaluate)
    except BudgetSpent as spent:
        fork.fail("budget", f"{spent}, and the try was not done")
    return [fork]


async def change(attempt: Attempt, candidate: Candidate, visible: VisibleStrategies) -> None:
    """Steps 3 and 4: the agent rewrites its code; what its scope allows is taken in.

    Raises:
        RunPaused: A model is down.
    """
    files = workspace_files(
        attempt.context,
        attempt.who,
        attempt.generation,
        candidate.code,
        candidate.history,
        visible,
    )
    for extension in extensions(attempt.context):
        files |= await extension.workspace_files(attempt, candidate, visible.own)
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


async def judge(attempt: Attempt, candidate: Candidate, how: Evaluate) -> None:
    """Steps 5 and 6: gates, then evaluation of what passed them.

    Raises:
        RunPaused: A model is down.
    """
    for extension in extensions(attempt.context):
        if await extension.judge(attempt, candidate):
            return
    attempt.reach("gate")
    if not candidate.valid or reuse_results(attempt, candidate):
        return attempt.reach("evaluate")
    async with attempt.evaluation(candidate).after_gates() as (result, evaluator):
        candidate.take_gate(result)
        attempt.reach("evaluate")
        if candidate.valid:
            await score(attempt, candidate, evaluator, how)


async def score(
    attempt: Attempt, candidate: Candidate, evaluator: Evaluator, how: Evaluate
) -> None:
    """Evaluate a candidate that passed its gates; what fails on the way is its failure.

    Raises:
        RunPaused: A model is down.
    """
    try:
        candidate.splits = await how(evaluator)
    except CandidateFailed as failure:
        candidate.fail("candidate", str(failure))
        return
    if attempt.solo is not None and attempt.solo.eval_test and "val" in candidate.splits:
        with suppress(CandidateFailed):  # what test shows decides nothing of a run
            candidate.splits |= {TEST: await evaluate_split(evaluator, TEST)}
