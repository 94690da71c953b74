"""Sandboxes whose ends are waited for together: none is left over, and no error is lost."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import pytest

from evolution.evaluation.kept.held import Endings

pytestmark = pytest.mark.anyio


class Held:
    """Contexts that are open, and how long it takes to leave one."""

    def __init__(self, leave_s: float = 0.0) -> None:
        self.open: list[str] = []
        self._leave_s = leave_s

    @asynccontextmanager
    async def context(self, name: str, error: Exception | None = None) -> AsyncGenerator[str]:
        self.open.append(name)
        try:
            yield name
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.sleep(self._leave_s)
            self.open.remove(name)
        if error is not None:
            raise error


async def test_the_next_begins_while_the_one_before_ends() -> None:
    endings, held = Endings(), Held(leave_s=0.2)
    async with endings.waited_for():
        async with endings.entered(held.context("a")) as name:
            assert name == "a"
        async with endings.entered(held.context("b")):
            assert held.open == ["a", "b"]
    assert held.open == []


async def test_without_a_wait_for_all_each_is_left_where_it_was_used() -> None:
    endings, held = Endings(), Held()
    async with endings.entered(held.context("a")):
        assert held.open == ["a"]
    assert held.open == []


async def test_the_first_error_of_leaving_is_told_when_all_are_left() -> None:
    endings, held = Endings(), Held(leave_s=0.05)
    with pytest.raises(OSError, match="of a"):
        async with endings.waited_for():
            async with endings.entered(held.context("a", OSError("of a"))):
                pass
            for name in ("b", "c"):
                async with endings.entered(held.context(name, ValueError(name))):
                    pass
    assert held.open == []


async def test_an_error_of_entering_is_told_at_once() -> None:
    @asynccontextmanager
    async def broken() -> AsyncGenerator[None]:
        raise OSError("no sandbox")
        yield

    endings = Endings()
    async with endings.waited_for():
        with pytest.raises(OSError, match="no sandbox"):
            async with endings.entered(broken()):
                pass


async def test_an_error_of_the_body_leaves_as_it_is() -> None:
    endings, held = Endings(), Held(leave_s=0.05)
    with pytest.raises(KeyError):
        async with endings.waited_for(), endings.entered(held.context("a")):
            raise KeyError
    assert held.open == []


async def test_cancellation_leaves_none_open() -> None:
    endings, held = Endings(), Held(leave_s=0.05)
    with anyio.CancelScope() as scope:
        async with endings.waited_for():
            async with endings.entered(held.context("a")):
                pass
            async with endings.entered(held.context("b")):
                scope.cancel()
                await anyio.sleep_forever()
    assert scope.cancelled_caught
    assert held.open == []
