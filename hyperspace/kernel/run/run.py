"""A run from start to end: every generation of every agent, then the sealed test split.

Agents play in rounds, each in turn, or each at its own pace; one that is alone can make several
children of its archive at a time. A turn that loses its sandbox is played again, as a resume would
play it. What holds a sandbox can be killed under it, by the kernel when memory runs out. Its
candidate is not to blame, and the record must not say so.
"""

import gc
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import NamedTuple

import anyio
import anyio.to_thread

from guards.sandboxes.sandbox import SandboxLost
from hyperspace.kernel.errors import AgentLimited
from hyperspace.kernel.events import Notice
from hyperspace.kernel.exception_groups import unwrap_single_error
from hyperspace.kernel.generation.call_budget import is_round_paid, is_spent
from hyperspace.kernel.generation.final import run_final
from hyperspace.kernel.generation.first_code import require_sound_start
from hyperspace.kernel.generation.generation import run_generation
from hyperspace.kernel.generation.run_context import Participant, RunContext
from hyperspace.kernel.run.ending import has_ended, record_end
from hyperspace.kernel.run.lanes import Lane, Lanes
from hyperspace.kernel.run.leftovers import held
from hyperspace.kernel.run.limits import keep_time, stops_on_record
from hyperspace.kernel.run.outages import outages_on_record
from hyperspace.kernel.run.recover import recover
from hyperspace.kernel.run.round_end import RoundEnd
from hyperspace.kernel.run.steering import end_given_up, look, wait_to_go_on
from hyperspace.kernel.state.folder import TEST_WORK
from hyperspace.kernel.state.lease import Heartbeat
from hyperspace.kernel.state.manifest import TEST

_MADE_BEFORE_COLLECTING = 10_000  # containers; Python's own 700 come together in milliseconds
MOST_TRIES = 3  # where sandboxes are lost again and again, a person has to look


async def play(context: RunContext, heartbeat: Heartbeat, conclude: Callable[[], None]) -> None:
    """Play a run to its end, from wherever it is.

    Args:
        context: Who plays.
        heartbeat: Keeps the lease while they do.
        conclude: Writes what follows from the finished run; may take its time.

    Raises:
        RunPaused: A model is down, or a limit is reached; the same command goes on.
        RunHeld: The lease was lost to another coordinator.
        RunDamaged: The space and the files do not agree.
        FirstCodeFailed: The code that agents start from fails a gate, or its evaluation.
    """
    with held(context.label, context.sandbox), _less_collected():
        recover(context)
        _require_sound_starts(context)
        lost = heartbeat.told_first()
        with (
            stops_on_record(context),
            outages_on_record(context),
            lost,
            context.writer.told_first(),
            unwrap_single_error(),
        ):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(heartbeat.keep)
                tasks.start_soon(keep_time, context.ledger)
                tasks.start_soon(end_given_up, context)
                await _play_to_the_end(context)
                await anyio.to_thread.run_sync(conclude)
                tasks.cancel_scope.cancel()


def _require_sound_starts(context: RunContext) -> None:
    """Check the first code of agents that got no further, as when it was closed.

    Raises:
        FirstCodeFailed: It does not work; the same command says the same again.
    """
    for who in context.participants:
        if context.archives[who.name].next_generation() == 1:
            require_sound_start(context, who, context.marks.closing(who.name, 0))


async def _play_to_the_end(context: RunContext) -> None:
    """Play every generation, then the sealed test split, of each agent."""
    # Where one of these is closed the others belong to it, whatever the terms are by now.
    if not any(context.marks.has_final(who.name) for who in context.participants):
        await _play_generations(context)
        record_end(context)
    for who in context.participants:
        if not context.marks.has_final(who.name):
            await wait_to_go_on(context)
            look(context, who, TEST)
            await _take_turn(context, who, TEST_WORK, partial(run_final, context, who))


@contextmanager
def _less_collected() -> Generator[None]:
    """Collect garbage less often, and not among what is there before, which is mostly modules."""
    thresholds = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_MADE_BEFORE_COLLECTING, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        gc.unfreeze()


async def _play_generations(context: RunContext) -> None:
    """Play every generation that is not closed yet, as the run's schedule has it.

    Raises:
        RunPaused: A model is down; of agents at their own pace, the others stop too.
        AgentLimited: An agent has reached its quota. In rounds all wait for it: what they see of it
            next would otherwise hang on when the quota is raised.
    """
    if context.config.together.schedule == "concurrent":
        return await _play_at_own_pace(context)
    if context.config.side_by_side:
        return await _play_children(context, context.participants[0])
    begun = min(
        context.round_of(who, context.archives[who.name].next_generation())
        for who in context.participants
    )
    at_end = [each for each in context.features if isinstance(each, RoundEnd)]
    if at_end:
        begun = 0  # what a closed round came to may be still to be written down
    for number in range(begun, context.config.generations + 1):
        if context.rounds.share_budget and not is_round_paid(context, number):
            break
        if _is_between_rounds(context, number) and has_ended(context):
            break
        for who in context.in_round(number):  # each has its turn once, within its budget
            generation = context.archives[who.name].next_generation()
            is_next = context.round_of(who, generation) == number
            if is_next and generation <= context.config.member(who.name).generations:
                await _take(context, who, generation)
        for each in at_end:
            each.close_round(context, number)


def _is_between_rounds(context: RunContext, number: int) -> bool:
    """Return whether nobody has played in a round yet, which is not so after some kills."""
    return all(
        context.round_of(who, context.archives[who.name].next_generation()) <= number
        for who in context.participants
    )


async def _play_at_own_pace(context: RunContext) -> None:
    """Play every agent's generations, of as many agents at a time as there are lanes.

    Where the run seemed to have ended, and a generation that had begun is a new best, all go on.
    """
    is_over = False
    while not is_over:
        waiting, lanes = _Waiting([], []), anyio.Semaphore(context.config.lanes)
        async with anyio.create_task_group() as tasks:
            for who in context.participants:
                tasks.start_soon(_play_through, context, who, lanes, waiting)
        if waiting.limited:
            raise waiting.limited[0]
        is_over = not waiting.ended or has_ended(context)


class _Waiting(NamedTuple):
    """Agents that wait for others.

    Attributes:
        limited: The quotas that were reached.
        ended: Names of those who found that the run ends.
    """

    limited: list[AgentLimited]
    ended: list[str]


async def _play_through(
    context: RunContext, who: Participant, lanes: anyio.Semaphore, waiting: _Waiting
) -> None:
    """Play an agent's generations; a quota ends that for it alone.

    Args:
        context: Who plays.
        who: The agent.
        lanes: Taken for each generation, in the order of asking, so that agents take turns at them.
        waiting: Takes the quota that is reached, or that the run ends, until the others are done.
    """
    begun = context.archives[who.name].next_generation()
    try:
        with unwrap_single_error(), context.ledger.at_work():
            for generation in range(begun, context.config.member(who.name).generations + 1):
                async with lanes:
                    if has_ended(context):
                        waiting.ended.append(who.name)
                        return
                    await _take(context, who, generation)
    except AgentLimited as quota:
        context.emit(Notice(f"{who.name} waits, the others go on: {quota.reached}"))
        waiting.limited.append(quota)


async def _play_children(context: RunContext, who: Participant) -> None:
    """Play an agent's generations side by side, as children of what is closed when they begin."""
    begun = context.archives[who.name].next_generation()
    lanes = Lanes(context.config.lanes, begun)
    async with anyio.create_task_group() as tasks:
        with context.ledger.at_work():
            for generation in range(begun, context.config.member(who.name).generations + 1):
                lane = await lanes.begin(generation)
                if has_ended(context):  # a child that has begun may still be a new best
                    await lanes.wait_for_turn(generation)
                if has_ended(context) or not await _may_begin(context, who, generation):
                    return
                tasks.start_soon(_play_child, context, who, generation, lane)


async def _play_child(context: RunContext, who: Participant, generation: int, lane: Lane) -> None:
    with context.ledger.at_work():
        await _play_generation(context, who, generation, lane.before_closing)
    lane.close()


async def _take(context: RunContext, who: Participant, generation: int) -> None:
    if await _may_begin(context, who, generation):
        await _play_generation(context, who, generation)


async def _play_generation(
    context: RunContext,
    who: Participant,
    generation: int,
    before_closing: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Play a generation; where the principal gives it up meanwhile, close it without making it."""
    name = f"gen_{generation}"
    turn = partial(run_generation, context, who, generation, before_closing)
    with context.steering.under_way(who.name, generation) as scope:
        await _take_turn(context, who, name, turn)
    if scope.cancelled_caught:
        context.folder.set_aside(context.folder.work(who.name, name), who.name, name)
        await _take_turn(context, who, name, turn)


async def _may_begin(context: RunContext, who: Participant, generation: int) -> bool:
    """Wait and look at what the principal asks; returns whether the agent plays on."""
    if is_spent(context, who):
        return False
    await wait_to_go_on(context)
    return look(context, who, generation)


async def _take_turn(
    context: RunContext, who: Participant, name: str, play: Callable[[], Awaitable[None]]
) -> None:
    """Play a turn; each try that loses its sandbox is set aside, and its calls are served again.

    Args:
        context: Who plays.
        who: Whose turn it is.
        name: What its attempts are called: `gen_<n>` or `test_eval`.
        play: Makes one attempt.

    Raises:
        SandboxLost: The last try lost its sandbox too.
    """
    for _ in range(MOST_TRIES - 1):
        try:
            with unwrap_single_error():
                return await play()
        except SandboxLost:
            context.folder.set_aside(context.folder.work(who.name, name), who.name, name)
    await play()
