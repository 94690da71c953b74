"""What an analysis has computed, kept by content: to analyse a run again costs what is new in it.

Moves are kept by hashes of the texts, so that nothing that is large is kept. One memory is for one
process.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Final, Generic, TypeVar

from transfer_experiment.similarity.moves import CodeMove, move, move_below

MOST_KEPT: Final = 20_000
TEXTS_AT_HAND: Final = 16
V = TypeVar("V")


class LeastRecentlyUsed(Generic[V]):
    """Values by key; beyond a number of them those that were not used for longest go.

    Args:
        most: How many are kept.
    """

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._most = most
        self._values: OrderedDict[Hashable, V] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        """Return the value of a key, made if it is not there."""
        if key in self._values:
            self._values.move_to_end(key)
            return self._values[key]
        value = self._values[key] = make()
        if len(self._values) > self._most:
            self._values.popitem(last=False)
        return value


class Moves:
    """Moves towards a peer, each measured once."""

    def __init__(self) -> None:
        self._whole: LeastRecentlyUsed[CodeMove | None] = LeastRecentlyUsed()
        self._below: LeastRecentlyUsed[CodeMove | None] = LeastRecentlyUsed()

    def whole(self, text: str, own: str, peer: str) -> CodeMove | None:
        """Measure a move (see `similarity.move`)."""
        return self._whole.get(_key(text, own, peer), lambda: move(text, own, peer))

    def below(self, text: str, own: str, peer: str) -> CodeMove | None:
        """Measure a move below the threshold (see `similarity.move_below`)."""
        return self._below.get(_key(text, own, peer), lambda: move_below(text, own, peer))


def _key(*texts: str) -> bytes:
    return b"".join(map(_digest, texts))


@lru_cache(maxsize=TEXTS_AT_HAND)
def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
