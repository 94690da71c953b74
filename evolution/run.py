"""A run from start to end: every round, every agent, then the sealed test split.

`play` is the main loop. The order of turns is the `alternating` schedule: one snapshot a
round, agents in turn.
"""

from collections.abc import Callable
from functools import partial

import anyio
import anyio.to_thread

from evolution.final import WORK_NAME, run_final
from evolution.generation import run_generation
from evolution.lease import Heartbeat
from evolution.limits import keep_time, stops_on_record
from evolution.recover import recover
from evolution.team import Team
from evolution.turn import take_turn
from evolution.ungrouped import ungrouped


async def play(team: Team, heartbeat: Heartbeat, conclude: Callable[[], None]) -> None:
    """Play a run to its end, from wherever it is.

    Args:
        team: Who plays.
        heartbeat: Keeps the lease while they do.
        conclude: Writes what follows from the finished run; may take its time.

    Raises:
        RunPaused: A model is down, or a limit is reached; the same command goes on.
        RunHeld: The lease was lost to another coordinator.
        RunDamaged: The space and the files do not agree.
    """
    recover(team)
    with stops_on_record(team), ungrouped():
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(heartbeat.keep)
            tasks.start_soon(keep_time, team.ledger)
            await _play_on(team)
            await anyio.to_thread.run_sync(conclude)
            tasks.cancel_scope.cancel()


async def _play_on(team: Team) -> None:
    begun = min(archive.next_generation() for archive in team.archives.values())
    for generation in range(begun, team.config.generations + 1):
        await play_round(team, generation)
    for who in team.participants:
        if not team.marks.has_final(who.name):
            await take_turn(team, who, WORK_NAME, partial(run_final, team, who))


async def play_round(team: Team, generation: int) -> None:
    """Let each agent have its turn unless it has had it already."""
    for who in team.participants:
        if team.archives[who.name].next_generation() == generation:
            turn = partial(run_generation, team, who, generation)
            await take_turn(team, who, f"gen_{generation}", turn)
