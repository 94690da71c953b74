"""Ctrl-C as a cancellation that shields hold against.

The event loop's own answer to SIGINT cancels the main task wherever it is, shields and all: a
sandbox that is just being started or taken down would be left half done, and waited for for ever.
"""

import signal
from collections.abc import Awaitable, Callable

import anyio
from anyio.abc import TaskStatus

from evolution.ungrouped import ungrouped


def run_interruptible(main: Callable[[], Awaitable[None]]) -> None:
    """Run a coroutine function to its end; the first Ctrl-C cancels it, the second one kills it.

    Raises:
        KeyboardInterrupt: It was interrupted, and has left nothing behind.
    """
    if anyio.run(_watched, main):
        raise KeyboardInterrupt


async def _watched(main: Callable[[], Awaitable[None]]) -> bool:
    """Whether a signal has ended it."""
    interrupted = anyio.Event()
    with ungrouped():
        async with anyio.create_task_group() as tasks:
            await tasks.start(_watch, interrupted, tasks.cancel_scope)
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
