"""Playing a recorded run again, turn by turn, as far as it was closed."""

from collections.abc import Iterator

import anyio

from evolution.errors import RunDamaged
from evolution.generation.final import run_final
from evolution.generation.generation import run_generation
from evolution.generation.recording import Recording
from evolution.generation.team import Participant, Team
from evolution.state.lease import Heartbeat
from evolution.state.manifest import TEST
from evolution.ungrouped import ungrouped


async def replay(team: Team, heartbeat: Heartbeat, recording: Recording) -> None:
    """Make every closed generation again, in the order of turns or of what was seen.

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
    in_order = _by_cursor if team.config.together.schedule == "concurrent" else _by_round
    for who, generation in in_order(team, recording):
        await run_generation(team, who, generation)
    for who in team.participants:
        if recording.holds(who.name, TEST):
            await run_final(team, who)


def _by_round(team: Team, recording: Recording) -> Iterator[tuple[Participant, int]]:
    for generation in range(team.config.generations + 1):
        for who in team.participants:
            if recording.holds(who.name, generation):
                yield who, generation


def _by_cursor(team: Team, recording: Recording) -> Iterator[tuple[Participant, int]]:
    """An order in which each generation finds closed what it saw; the run's own was one.

    Raises:
        RunDamaged: There is none.
    """
    while open_ := [who for who in team.participants if _holds_next(team, who, recording)]:
        ready = [who for who in open_ if _saw_closed(team, who, recording)]
        if not ready:
            names = ", ".join(who.name for who in open_)
            raise RunDamaged(f"closings of {names} name generations that were not closed by then")
        yield ready[0], team.archives[ready[0].name].next_generation()


def _holds_next(team: Team, who: Participant, recording: Recording) -> bool:
    return recording.holds(who.name, team.archives[who.name].next_generation())


def _saw_closed(team: Team, who: Participant, recording: Recording) -> bool:
    cursor = recording.cursor(who.name, team.archives[who.name].next_generation())
    archives = team.archives
    return all(archives[agent].next_generation() >= count for agent, count in cursor.items())
