"""Who plays when: in rounds, each agent in turn, or each at its own pace."""

from functools import partial

import anyio

from evolution.generation.generation import run_generation
from evolution.generation.run_context import Participant, RunContext
from evolution.generation.turn import take_turn


async def play_generations(context: RunContext) -> None:
    """Play every generation that is not closed yet, as the run's schedule has it.

    Raises:
        RunPaused: A model is down; of agents at their own pace, the others stop too.
    """
    if context.config.together.schedule == "concurrent":
        async with anyio.create_task_group() as tasks:
            for who in context.participants:
                tasks.start_soon(_play_through, context, who)
        return
    begun = min(archive.next_generation() for archive in context.archives.values())
    for generation in range(begun, context.config.generations + 1):
        await play_round(context, generation)


async def play_round(context: RunContext, generation: int) -> None:
    """Let each agent have its turn unless it has had it already, or its budget is spent."""
    for who in context.participants:
        is_next = context.archives[who.name].next_generation() == generation
        if is_next and generation <= context.config.member(who.name).generations:
            await _take(context, who, generation)


async def _play_through(context: RunContext, who: Participant) -> None:
    begun = context.archives[who.name].next_generation()
    for generation in range(begun, context.config.member(who.name).generations + 1):
        await _take(context, who, generation)


async def _take(context: RunContext, who: Participant, generation: int) -> None:
    turn = partial(run_generation, context, who, generation)
    await take_turn(context, who, f"gen_{generation}", turn)
