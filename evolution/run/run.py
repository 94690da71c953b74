"""A run from start to end: every generation of every agent, then the sealed test split."""

from collections.abc import Callable
from functools import partial

import anyio
import anyio.to_thread

from evolution.exception_groups import unwrap_single_error
from evolution.generation.final import WORK_NAME, run_final
from evolution.generation.run_context import RunContext
from evolution.run.limits import keep_time, stops_on_record
from evolution.run.recover import recover
from evolution.run.schedule import play_generations, take_turn
from evolution.state.lease import Heartbeat


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
    recover(context)
    with stops_on_record(context), heartbeat.told_first(), unwrap_single_error():
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(heartbeat.keep)
            tasks.start_soon(keep_time, context.ledger)
            await play_generations(context)
            for who in context.participants:
                if not context.marks.has_final(who.name):
                    await take_turn(context, who, WORK_NAME, partial(run_final, context, who))
            await anyio.to_thread.run_sync(conclude)
            tasks.cancel_scope.cancel()
