"""A run from start to end: every generation of every agent, then the sealed test split."""

from collections.abc import Callable
from functools import partial

import anyio
import anyio.to_thread

from evolution.generation.final import WORK_NAME, run_final
from evolution.generation.team import Team
from evolution.generation.turn import take_turn
from evolution.run.limits import keep_time, stops_on_record
from evolution.run.recover import recover
from evolution.run.schedule import play_generations
from evolution.state.lease import Heartbeat
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
    await play_generations(team)
    for who in team.participants:
        if not team.marks.has_final(who.name):
            await take_turn(team, who, WORK_NAME, partial(run_final, team, who))
