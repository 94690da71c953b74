"""Who plays when: in rounds, each agent in turn, or each at its own pace."""

from functools import partial

import anyio

from evolution.generation.generation import run_generation
from evolution.generation.team import Participant, Team
from evolution.generation.turn import take_turn


async def play_generations(team: Team) -> None:
    """Play every generation that is not closed yet, as the run's schedule has it.

    Raises:
        RunPaused: A model is down; of agents at their own pace, the others stop too.
    """
    if team.config.together.schedule == "concurrent":
        async with anyio.create_task_group() as tasks:
            for who in team.participants:
                tasks.start_soon(_play_through, team, who)
        return
    begun = min(archive.next_generation() for archive in team.archives.values())
    for generation in range(begun, team.config.generations + 1):
        await play_round(team, generation)


async def play_round(team: Team, generation: int) -> None:
    """Let each agent have its turn unless it has had it already, or its budget is spent."""
    for who in team.participants:
        is_next = team.archives[who.name].next_generation() == generation
        if is_next and generation <= team.config.member(who.name).generations:
            await _take(team, who, generation)


async def _play_through(team: Team, who: Participant) -> None:
    begun = team.archives[who.name].next_generation()
    for generation in range(begun, team.config.member(who.name).generations + 1):
        await _take(team, who, generation)


async def _take(team: Team, who: Participant, generation: int) -> None:
    turn = partial(run_generation, team, who, generation)
    await take_turn(team, who, f"gen_{generation}", turn)
