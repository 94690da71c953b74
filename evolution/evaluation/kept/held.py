"""Contexts held by tasks of their own: whoever uses one may leave it, or need not wait for that."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Generic, TypeVar

import anyio
from anyio.abc import TaskGroup, TaskStatus

from executor.background import background

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

    @property
    def is_left_well(self) -> bool:
        """Whether it was left, without an error that nobody was told of."""
        return self._is_left.is_set() and self._error is None

    def let_go(self) -> None:
        """Have it left, and do not wait for that."""
        self._is_over.set()

    async def leave(self) -> None:
        """Leave it; an error of leaving is raised, the first time. Safe to call twice."""
        self.let_go()
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


class Endings:
    """Lets go of contexts while `waited_for` lasts; else they are left where they are used.

    The end of a sandbox is a wait for the kernel, and only what comes after all needs it.
    """

    def __init__(self) -> None:
        self._tasks: TaskGroup | None = None
        self._held: list[HeldContext[Any]] = []

    @asynccontextmanager
    async def waited_for(self) -> AsyncGenerator[None]:
        """Let go of contexts in the body; when this is left all of them are.

        The first error of leaving one is raised.
        """
        async with background() as self._tasks:
            try:
                yield
            finally:
                self._tasks, held, self._held = None, self._held, []
                errors = [error for each in held if (error := await _error_of_leaving(each))]
                if errors:
                    raise errors[0]

    @asynccontextmanager
    async def entered(self, context: AbstractAsyncContextManager[T]) -> AsyncGenerator[T]:
        """Enter a context; with the body it begins to be left."""
        if self._tasks is None:
            async with context as value:
                yield value
            return
        held = HeldContext(context)
        value = await held.enter(self._tasks)
        self._held = [each for each in self._held if not each.is_left_well]
        self._held.append(held)
        try:
            yield value
        finally:
            held.let_go()


async def _error_of_leaving(held: HeldContext[Any]) -> Exception | None:
    try:
        with anyio.CancelScope(shield=True):
            await held.leave()
    except Exception as error:  # of any kind: whoever waits is told
        return error
    return None
