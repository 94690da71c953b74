"""The bounds of one sandbox: what it has asked so far, what it may not ask, what is held of it."""

from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

import anyio

from guards.defences import Defence, Without
from guards.scope.changes import printable
from hyperspace.broker.refusal import BrokerRefusal
from hyperspace.broker.wire import BrokerLimits, ChatFrame, error_frame, parts, weight
from hyperspace.messages import CallKey

_KEPT_REFUSALS = 100
_LONGEST_DETAIL = 300
_NOT_LISTED = f"more than {_KEPT_REFUSALS} requests were refused; the others are not listed"


class SandboxBounds:
    """Counts the calls of one sandbox and refuses those that it has no business to make.

    Attributes:
        work: What calls are for at present: purpose and item.
        refusals: What was refused: the first hundred, then one that says that there were more.
    """

    def __init__(self, limits: BrokerLimits, models: tuple[str, ...], without: Without) -> None:
        """Begin to count.

        Args:
            limits: Bounds on what may be asked.
            models: Names that the only model that may be asked goes by.
            without: Defences that a test has taken away.
        """
        self.work: tuple[str, str] = ("", "")
        self.refusals: list[BrokerRefusal] = []
        self._limits = limits
        self._models = models
        self._without = without
        self._ordinals: Counter[tuple[str, str]] = Counter()
        self._characters = 0

    def refusal(self, frame: ChatFrame) -> dict[str, Any] | None:
        """The answer to a request that is refused; None if the model may be asked."""
        if frame.model not in self._models and Defence.BROKER_MODEL not in self._without:
            return self.refuse("wrong_model", f"asked for {frame.model[:200]!r}")
        if (count := parts(frame)) > self._limits.parts:
            limit = f"a request of {count} parts; the limit is {self._limits.parts}"
            return self.refuse("too_large", limit)
        if self._ordinals.total() >= self._limits.calls:
            return self.refuse("budget", f"{self._limits.calls} model calls are used up")
        if self._ordinals[self.work] >= self._limits.calls_per_item:
            return self.refuse("budget", f"{self._limits.calls_per_item} calls for this item")
        self._characters += weight(frame)
        if self._characters > self._limits.characters:
            return self.refuse("budget", f"{self._limits.characters} characters are used up")
        return None

    def refuse(self, kind: str, detail: str) -> dict[str, Any]:
        """Put a refusal on record and return the answer that tells of it."""
        detail = printable(detail[:_LONGEST_DETAIL])  # it may quote what was sent
        if len(self.refusals) < _KEPT_REFUSALS:
            self.refusals.append(BrokerRefusal(kind, detail, *self.work))
        elif len(self.refusals) == _KEPT_REFUSALS:
            self.refusals.append(BrokerRefusal(kind, _NOT_LISTED, *self.work))
        return error_frame(kind, f"refused: {detail}")

    def next_key(self) -> CallKey:
        """Count a call, and name its place."""
        key = CallKey(*self.work, self._ordinals[self.work])
        self._ordinals[self.work] += 1
        return key


class ByteSemaphore:
    """A number of bytes that may be held at one time.

    Attributes:
        taken_bytes: How many are held now.
    """

    def __init__(self, size_bytes: int) -> None:
        self.taken_bytes = 0
        self._size_bytes = size_bytes
        self._left: anyio.Event | None = None

    @asynccontextmanager
    async def hold(self, part_bytes: int) -> AsyncGenerator[None]:
        """Hold a part while the context lasts; waits for it. A part is never above the size."""
        while self.taken_bytes + part_bytes > self._size_bytes:
            self._left = self._left or anyio.Event()
            await self._left.wait()
        self.taken_bytes += part_bytes
        try:
            yield
        finally:
            self.taken_bytes -= part_bytes
            left, self._left = self._left, None
            if left is not None:
                left.set()
