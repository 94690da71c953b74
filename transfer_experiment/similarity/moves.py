"""Similarity of program texts, as the published adoption rule measures it.

Ratios are those of Python's `difflib.SequenceMatcher(None, a, b).ratio()` with its default
autojunk, to the last bit, at a small part of its cost; see docs/reference/similarity.md. Moves that
were measured are kept by hashes of the texts, so that to analyse a run again costs what is new.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache
from itertools import zip_longest
from typing import Final, Generic, NamedTuple, TypeVar

from transfer_experiment.similarity.matching import compare

# A move towards a peer: d_peer / (d_own + d_peer) below this (docs/reference/analysis.md).
THRESHOLD = 0.4
_MARGIN = 1e-9
MOST_KEPT: Final = 20_000
TEXTS_AT_HAND: Final = 16
V = TypeVar("V")


class CodeMove(NamedTuple):
    """How far a text went towards a peer's.

    Attributes:
        ratio: d_peer / (d_own + d_peer); 0 is a pure copy.
        d_own: Distance to the agent's previous text.
        d_peer: Distance to the peer's text.
    """

    ratio: float
    d_own: float
    d_peer: float


def similarity(a: str, b: str) -> float:
    """Twice the matching characters over all characters: 1 is equal, 0 has nothing in common."""
    if a == b:
        return 1.0
    *_, last = compare(a, b)
    return _share(last.matched, a, b)


def distance(a: str, b: str) -> float:
    """1 minus the similarity of two texts: 0 is equal, 1 has nothing in common."""
    return 1.0 - similarity(a, b)


def move(text: str, own: str, peer: str) -> CodeMove | None:
    """Measure how far a text went from the agent's previous one towards a peer's.

    Returns:
        None if it equals both.
    """
    return _move_of(similarity(text, own), similarity(text, peer))


def move_below(text: str, own: str, peer: str) -> CodeMove | None:
    """Measure a move, but only as far as is needed to rule it out.

    It is below the threshold only if 3 s_peer > 1 + 2 s_own. Both similarities are narrowed down
    by turns, s_own from below and s_peer from above.

    Returns:
        The move if its ratio is below `THRESHOLD`, else None.
    """
    if text == own:
        return None
    if text == peer:
        return move(text, own, peer)
    s_own, s_peer = 0.0, _share(min(len(text), len(peer)), text, peer)
    steps = zip_longest(compare(text, own), compare(text, peer))
    while 1 + 2 * s_own <= 3 * s_peer + _MARGIN:
        nearer = next(steps, None)
        if nearer is None:
            measured = _move_of(s_own, s_peer)
            return measured if measured is not None and measured.ratio < THRESHOLD else None
        to_own, to_peer = nearer
        s_own = s_own if to_own is None else _share(to_own.matched, text, own)
        s_peer = s_peer if to_peer is None else _share(to_peer.possible, text, peer)
    return None


def _move_of(s_own: float, s_peer: float) -> CodeMove | None:
    d_own, d_peer = 1.0 - s_own, 1.0 - s_peer
    total = d_own + d_peer
    return CodeMove(d_peer / total, d_own, d_peer) if total else None


def _share(matched: int, a: str, b: str) -> float:
    total = len(a) + len(b)
    return 2.0 * matched / total if total else 1.0


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
    """Moves towards a peer, each measured once; one memory is for one process."""

    def __init__(self) -> None:
        self._whole: LeastRecentlyUsed[CodeMove | None] = LeastRecentlyUsed()
        self._below: LeastRecentlyUsed[CodeMove | None] = LeastRecentlyUsed()

    def whole(self, text: str, own: str, peer: str) -> CodeMove | None:
        """Measure a move (see `move`)."""
        return self._whole.get(_key(text, own, peer), lambda: move(text, own, peer))

    def below(self, text: str, own: str, peer: str) -> CodeMove | None:
        """Measure a move below the threshold (see `move_below`)."""
        return self._below.get(_key(text, own, peer), lambda: move_below(text, own, peer))


def _key(*texts: str) -> bytes:
    return b"".join(map(_digest, texts))


@lru_cache(maxsize=TEXTS_AT_HAND)
def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
