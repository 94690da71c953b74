"""A context that is held by a task of its own, so that whoever uses it may leave it."""

from contextlib import AbstractAsyncContextManager
from typing import Generic, TypeVar

import anyio
from anyio.abc import TaskGroup, TaskStatus

T = TypeVar("T")


class HeldContext(Generic[T]):
    """Holds a context until it is left, or until its tasks end.

    Args:
        context: What is entered and left.
    """

    def __init__(self, context: AbstractAsyncContextManager[T]) -> None:
        self._context = context
        self._is_over = anyio.Event()
        self._is_left = anyio.Event()
        self._error: Exception | None = None

    async def enter(self, tasks: TaskGroup) -> T:
        """Enter it in a task; an error of entering is raised here."""
        entered: T = await tasks.start(self._hold)
        return entered

    async def leave(self) -> None:
        """Leave it; an error of leaving is raised, the first time. Safe to call twice."""
        self._is_over.set()
        await self._is_left.wait()
        error, self._error = self._error, None
        if error is not None:
            raise error

    async def _hold(self, *, task_status: TaskStatus[T]) -> None:
        is_entered = False
        try:
            async with self._context as entered:
                is_entered = True
                task_status.started(entered)
                await self._is_over.wait()
        except Exception as error:  # of any kind: whoever leaves is told
            if not is_entered:
                raise
            self._error = error
        finally:
            self._is_left.set()
