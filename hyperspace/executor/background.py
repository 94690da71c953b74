"""Tasks beside the body of a context."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
from anyio.abc import TaskGroup


@asynccontextmanager
async def background() -> AsyncGenerator[TaskGroup]:
    """Run tasks beside the body; with its end they are cancelled.

    The body's own error leaves as it is, and not in a group.
    """
    tasks = anyio.create_task_group()
    await tasks.__aenter__()
    try:
        yield tasks
    finally:
        tasks.cancel_scope.cancel()
        await tasks.__aexit__(None, None, None)
