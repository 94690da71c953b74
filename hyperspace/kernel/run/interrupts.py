"""Which event loop a run is played on, and Ctrl-C as a cancellation that shields hold against.

The event loop's own answer to SIGINT cancels the main task wherever it is, shields and all: a
sandbox that is just being started or taken down would be left half done, and waited for for ever.
"""

import os
import signal
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from typing import Final

import anyio
from anyio.abc import TaskStatus

from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.exception_groups import unwrap_single_error
from hyperspace.kernel.run.blocked_loop import tell_of_blocks
from hyperspace.resolving import resolve_records

BACKEND: Final = "HYPERSPACE_BACKEND"


def run_interruptible(main: Callable[[], Awaitable[None]]) -> None:
    """Run a coroutine function to its end; the first Ctrl-C cancels it, the second one kills it.

    Raises:
        KeyboardInterrupt: It was interrupted, and has left nothing behind.
        RunUsageError: The environment names an event loop that is not there.
    """
    resolve_records()  # threads of the loop decode them
    if anyio.run(_watched, main, backend=backend()):
        raise KeyboardInterrupt


def backend() -> str:
    """The event loop of runs: asyncio, or what the variable HYPERSPACE_BACKEND names.

    It decides no result, so a run may go on with another one.

    Raises:
        RunUsageError: It names one that anyio does not know, or that is not installed.
    """
    backends = anyio.get_all_backends()
    name = os.environ.get(BACKEND) or backends[0]
    if name not in backends:
        raise RunUsageError(f"{BACKEND}={name!r} is no event loop; there are {', '.join(backends)}")
    if find_spec(name) is None:
        raise RunUsageError(f"{BACKEND}={name} needs a package; pip install {name}")
    return name


async def _watched(main: Callable[[], Awaitable[None]]) -> bool:
    """True once a signal has ended it."""
    interrupted = anyio.Event()
    with unwrap_single_error():
        async with anyio.create_task_group() as tasks:
            await tasks.start(_watch, interrupted, tasks.cancel_scope)
            tasks.start_soon(tell_of_blocks)
            await main()
            tasks.cancel_scope.cancel()
    return interrupted.is_set()


async def _watch(
    interrupted: anyio.Event,
    scope: anyio.CancelScope,
    *,
    task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
) -> None:
    with anyio.open_signal_receiver(signal.SIGINT) as signals:
        task_status.started()
        async for _ in signals:
            break
    interrupted.set()
    scope.cancel()
