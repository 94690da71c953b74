"""Where what a launch asks for is played: on this machine, or on the nodes of a cluster."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from hyperspace.executor.choose import elsewhere
from hyperspace.executor.journal import Journal
from hyperspace.executor.names import LOCAL
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.evaluation.remote_items import Elsewhere
from hyperspace.options.launch import LaunchOptions


def check_executor(options: LaunchOptions) -> None:
    """Check that what is said of slots has an executor that it is said of.

    Raises:
        RunUsageError: It has none, or an executor is asked for whose workers confine nothing.
    """
    if options.executor == LOCAL:
        for flag, value in (("--slots", options.slots), ("--slot", options.slot)):
            if value is not None:
                raise RunUsageError(
                    f"{flag} is said of the nodes of a cluster; add --executor ray, or say with "
                    "--eval-workers and --parallel what this machine does at a time"
                )
    elif options.sandbox == "process":
        raise RunUsageError(
            f"--executor {options.executor} runs code on nodes, and sandbox 'process' confines "
            "nothing there; use --sandbox bubblewrap or docker"
        )


@asynccontextmanager
async def where_items_are_asked(options: LaunchOptions) -> AsyncGenerator[Elsewhere | None]:
    """Open the executor that blocks of items go to; None for sandboxes of this machine.

    What comes of a block is kept with its attempt, so the record of jobs lasts no longer.

    Raises:
        ExecutorError: There is no cluster, or none that can do what is asked for.
    """
    if options.executor == LOCAL:
        yield None
        return
    resources = options.slot_resources()
    opened = elsewhere(options.executor, options.slots, resources, Journal())
    async with opened as executor:
        yield Elsewhere(executor, resources)
