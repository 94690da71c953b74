"""A run from start to end: every generation of every agent, then the sealed test split.

Agents play in rounds, each in turn, or each at its own pace. A turn that loses its sandbox is
played again, as a resume would play it. What holds a sandbox can be killed under it, by the kernel
when memory runs out. Its candidate is not to blame, and the record must not say so.
"""

import gc
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from functools import partial

import anyio
import anyio.to_thread

from evolution.errors import AgentLimited
from evolution.events import Notice
from evolution.exception_groups import unwrap_single_error
from evolution.generation.final import run_final
from evolution.generation.generation import run_generation
from evolution.generation.run_context import Participant, RunContext
from evolution.run.leftovers import held
from evolution.run.limits import keep_time, stops_on_record
from evolution.run.recover import recover
from evolution.run.steering import look, wait_to_go_on
from evolution.state.folder import TEST_WORK
from evolution.state.lease import Heartbeat
from evolution.state.manifest import TEST
from guards.sandboxes.sandbox import SandboxLost

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
    """
    with held(context.label, context.sandbox), _less_collected():
        recover(context)
        with stops_on_record(context), heartbeat.told_first(), unwrap_single_error():
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(heartbeat.keep)
                tasks.start_soon(keep_time, context.ledger)
                await _play_to_the_end(context)
                await anyio.to_thread.run_sync(conclude)
                tasks.cancel_scope.cancel()


async def _play_to_the_end(context: RunContext) -> None:
    """Play every generation, then the sealed test split, of each agent."""
    await _play_generations(context)
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
        limited: list[AgentLimited] = []
        async with anyio.create_task_group() as tasks:
            for who in context.participants:
                tasks.start_soon(_play_through, context, who, limited)
        if limited:
            raise limited[0]
        return
    begun = min(
        context.round_of(who, context.archives[who.name].next_generation())
        for who in context.participants
    )
    for number in range(begun, context.config.generations + 1):
        for who in context.participants:  # each has its turn once, within its budget
            generation = context.archives[who.name].next_generation()
            is_next = context.round_of(who, generation) == number
            if is_next and generation <= context.config.member(who.name).generations:
                await _take(context, who, generation)


async def _play_through(context: RunContext, who: Participant, limited: list[AgentLimited]) -> None:
    """Play an agent's generations at its own pace; a quota ends that for it alone.

    Args:
        context: Who plays.
        who: The agent.
        limited: Takes the quota that is reached, for when the others are done.
    """
    begun = context.archives[who.name].next_generation()
    try:
        with unwrap_single_error(), context.ledger.at_work():
            for generation in range(begun, context.config.member(who.name).generations + 1):
                await _take(context, who, generation)
    except AgentLimited as quota:
        context.emit(Notice(f"{who.name} waits, the others go on: {quota.reached}"))
        limited.append(quota)


async def _take(context: RunContext, who: Participant, generation: int) -> None:
    await wait_to_go_on(context)
    if not look(context, who, generation):
        return
    turn = partial(run_generation, context, who, generation)
    await _take_turn(context, who, f"gen_{generation}", turn)


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
