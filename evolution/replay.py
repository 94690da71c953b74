"""Playing a recorded run again, turn by turn, as far as it was closed."""

import anyio

from evolution.final import run_final
from evolution.generation import run_generation
from evolution.lease import Heartbeat
from evolution.manifest import TEST
from evolution.recording import Recording
from evolution.team import Team
from evolution.ungrouped import ungrouped


async def replay(team: Team, heartbeat: Heartbeat, recording: Recording) -> None:
    """Make every closed generation again, in the order of turns.

    Args:
        team: Who plays; it obeys the recording.
        heartbeat: Keeps the lease of the folder that is played in.
        recording: What was closed.

    Raises:
        ReplayStopped: The first difference from the record.
    """
    with ungrouped():
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(heartbeat.keep)
            await _play(team, recording)
            tasks.cancel_scope.cancel()


async def _play(team: Team, recording: Recording) -> None:
    for generation in range(team.config.generations + 1):
        for who in team.participants:
            if recording.holds(who.name, generation):
                await run_generation(team, who, generation)
    for who in team.participants:
        if recording.holds(who.name, TEST):
            await run_final(team, who)
