"""Playing a recorded run again, turn by turn, as far as it was closed."""

from collections.abc import Iterator

import anyio

from evolution.errors import RunDamaged
from evolution.exception_groups import unwrap_single_error
from evolution.generation.final import run_final
from evolution.generation.generation import run_generation
from evolution.generation.run_context import Participant, RunContext
from evolution.records.recording import Recording
from evolution.run.leftovers import held
from evolution.state.lease import Heartbeat
from evolution.state.manifest import TEST


async def replay(context: RunContext, heartbeat: Heartbeat, recording: Recording) -> None:
    """Make every closed generation again, in the order of turns or of what was seen.

    Args:
        context: Who plays; it obeys the recording.
        heartbeat: Keeps the lease of the folder that is played in.
        recording: What was closed.

    Raises:
        ReplayStopped: The first difference from the record.
    """
    in_order = _by_cursor if context.config.together.schedule == "concurrent" else _by_round
    with held(context.label, context.sandbox), unwrap_single_error():
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(heartbeat.keep)
            for who, generation in in_order(context, recording):
                context.steering.take(
                    who.name, generation, recording.steering(who.name, generation)
                )
                await run_generation(context, who, generation)
            for who in context.participants:
                if recording.holds(who.name, TEST):
                    context.steering.take(who.name, TEST, recording.steering(who.name, TEST))
                    await run_final(context, who)
            tasks.cancel_scope.cancel()


def _by_round(context: RunContext, recording: Recording) -> Iterator[tuple[Participant, int]]:
    for number in range(context.config.generations + 1):
        for who in context.participants:
            generation = number - context.config.joined(who.name)
            if generation >= 0 and recording.holds(who.name, generation):
                yield who, generation


def _by_cursor(context: RunContext, recording: Recording) -> Iterator[tuple[Participant, int]]:
    """An order in which each generation finds closed what it saw; the run's own was one.

    Raises:
        RunDamaged: There is none.
    """

    def following(who: Participant) -> int:
        return context.archives[who.name].next_generation()

    while open_ := [
        who for who in context.participants if recording.holds(who.name, following(who))
    ]:
        ready = [who for who in open_ if _saw_closed(context, who, recording)]
        if not ready:
            names = ", ".join(who.name for who in open_)
            raise RunDamaged(f"closings of {names} name generations that were not closed by then")
        yield ready[0], following(ready[0])


def _saw_closed(context: RunContext, who: Participant, recording: Recording) -> bool:
    cursor = recording.cursor(who.name, context.archives[who.name].next_generation())
    archives = context.archives
    return all(archives[agent].next_generation() >= count for agent, count in cursor.items())
