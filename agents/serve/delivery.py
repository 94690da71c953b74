"""Hooks that count how replies were delivered."""

from collections.abc import Callable

from agents.serve.exchange import Tokens
from agents.serve.http import DeliveryHook
from agents.serve.stats import Stats, Who


class SpoiledReply(DeliveryHook):
    """A reply that a fault has spoiled: it is not completed, however it fares."""

    def __init__(self, stats: Stats) -> None:
        self._stats = stats

    def cut(self) -> None:
        """Count it as cut."""
        self._stats.cut()


class CompleteReply(SpoiledReply):
    """A reply that counts as completed, unless it is cut.

    It is counted just before its last bytes go out, so that whoever has the reply finds it counted.
    """

    def __init__(
        self, stats: Stats, who: Who, tokens: Tokens, forget_tries: Callable[[], None]
    ) -> None:
        super().__init__(stats)
        self._who = who
        self._tokens = tokens
        self._forget_tries = forget_tries
        self._counted = False

    def last(self) -> None:
        """Count it."""
        self._counted = True
        self._stats.completed(self._who, self._tokens)
        self._forget_tries()

    def cut(self) -> None:
        """Take it back."""
        super().cut()
        if self._counted:
            self._stats.taken_back(self._who, self._tokens)
