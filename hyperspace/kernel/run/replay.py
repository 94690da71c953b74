"""Playing a recorded run again, turn by turn, as far as it was closed."""

from collections.abc import Iterator

import anyio

from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.exception_groups import unwrap_single_error
from hyperspace.kernel.generation.final import run_final
from hyperspace.kernel.generation.generation import run_generation
from hyperspace.kernel.generation.run_context import Participant, RunContext
from hyperspace.kernel.records.recording import Recording
from hyperspace.kernel.run.leftovers import held
from hyperspace.kernel.state.lease import Heartbeat
from hyperspace.kernel.state.manifest import TEST


async def replay(context: RunContext, heartbeat: Heartbeat, recording: Recording) -> None:
    """Make every closed generation again, in the order of turns or of what was seen.

    Args:
        context: Who plays; it obeys the recording.
        heartbeat: Keeps the lease of the folder that is played in.
        recording: What was closed.

    Raises:
        ReplayStopped: The first difference from the record.
    """
    in_order = _as_written if context.config.together.schedule == "concurrent" else _by_round
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
        for who in context.in_round(number):
            generation = number - context.config.joined(who.name)
            if generation >= 0 and recording.holds(who.name, generation):
                yield who, generation


def _as_written(context: RunContext, recording: Recording) -> Iterator[tuple[Participant, int]]:
    """The order in which the run closed its generations: each finds closed what it saw.

    Raises:
        RunDamaged: One does not.
    """
    turns = context.config.turns
    for agent, generation in recording.in_order():
        cursor = recording.cursor(agent, generation)
        following = context.archives[agent].next_generation() if agent in turns else None
        if generation != following or not context.order.has_come_to(cursor):
            raise RunDamaged(
                f"the closing of {agent} gen {generation} names generations that were not closed "
                "by then; put space.db back as it was"
            )
        yield context.participants[turns[agent]], generation
