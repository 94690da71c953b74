"""Similarity of program texts, as the published adoption rule measures it.

Ratios are those of Python's `difflib.SequenceMatcher(None, a, b).ratio()` with its default
autojunk, to the last bit, at a small part of its cost; see docs/reference/similarity.md. Moves that
were measured are kept by hashes of the texts, so that to analyse a run again costs what is new.
"""

import hashlib
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache
from itertools import zip_longest
from typing import Final, Generic, NamedTuple, TypeVar

from transfer_experiment.similarity.cache import TEXTS_AT_HAND
from transfer_experiment.similarity.matching import TooMuchWork, compare

# A move towards a peer: d_peer / (d_own + d_peer) below this (docs/reference/analysis.md).
THRESHOLD = 0.4
_MARGIN = 1e-9
MOST_KEPT: Final = 20_000
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
    """Twice the matching characters over all characters: 1 is equal, 0 has nothing in common.

    Raises:
        TooMuchWork: The texts were made so that it would take very long.
    """
    if a == b:
        return 1.0
    *_, last = compare(a, b)
    return _share(last.matched, a, b)


class Nearness(NamedTuple):
    """How similar two texts are, and whether they were compared; else it is that of their lines."""

    similarity: float
    compared: bool


def nearness(a: str, b: str) -> Nearness:
    """The similarity of two texts; of those that are too much work, that of their lines."""
    try:
        return Nearness(similarity(a, b), compared=True)
    except TooMuchWork:
        return Nearness(_by_lines(a, b), compared=False)


def _by_lines(a: str, b: str) -> float:
    first, second = Counter(a.split("\n")), Counter(b.split("\n"))
    common = sum((len(line) + 1) * times for line, times in (first & second).items())
    return 2.0 * common / (len(a) + len(b) + 2)


def move(text: str, own: str, peer: str) -> CodeMove | None:
    """Measure how far a text went from the agent's previous one towards a peer's.

    Returns:
        None if it equals both.

    Raises:
        TooMuchWork: A text was made so that it would take very long.
    """
    return _move_of(similarity(text, own), similarity(text, peer))


def move_below(text: str, own: str, peer: str) -> CodeMove | None:
    """Measure a move, but only as far as is needed to rule it out.

    It is below the threshold only if 3 s_peer > 1 + 2 s_own. Both similarities are narrowed down
    by turns, s_own from below and s_peer from above.

    Returns:
        The move if its ratio is below `THRESHOLD`, else None.

    Raises:
        TooMuchWork: A text was made so that it would take very long.
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
            return _if_below(_move_of(s_own, s_peer))
        to_own, to_peer = nearer
        s_own = s_own if to_own is None else _share(to_own.matched, text, own)
        s_peer = s_peer if to_peer is None else _share(to_peer.possible, text, peer)
    return None


def _move_of(s_own: float, s_peer: float) -> CodeMove | None:
    d_own, d_peer = 1.0 - s_own, 1.0 - s_peer
    total = d_own + d_peer
    return CodeMove(d_peer / total, d_own, d_peer) if total else None


def _if_below(measured: CodeMove | None) -> CodeMove | None:
    return measured if measured is not None and measured.ratio < THRESHOLD else None


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
    """Moves towards a peer, each measured once; one memory is for one process.

    Attributes:
        not_compared: How many of those that were asked for were too much work to compare: what is
            said of them rests on whole lines.
    """

    def __init__(self) -> None:
        self.not_compared = 0
        self._whole: LeastRecentlyUsed[_Measured] = LeastRecentlyUsed()
        self._below: LeastRecentlyUsed[_Measured] = LeastRecentlyUsed()

    def whole(self, text: str, own: str, peer: str) -> CodeMove | None:
        """Measure a move (see `move`)."""
        return self._told(self._whole, move, (text, own, peer))

    def below(self, text: str, own: str, peer: str) -> CodeMove | None:
        """Measure a move below the threshold (see `move_below`)."""
        return _if_below(self._told(self._below, move_below, (text, own, peer)))

    def _told(
        self,
        known: "LeastRecentlyUsed[_Measured]",
        measure: Callable[[str, str, str], CodeMove | None],
        texts: tuple[str, str, str],
    ) -> CodeMove | None:
        measured = known.get(_key(*texts), lambda: _measured(measure, *texts))
        self.not_compared += not measured.compared
        return measured.move


class _Measured(NamedTuple):
    """A move, and whether it was compared, else it is one by lines."""

    move: CodeMove | None
    compared: bool


def _measured(
    measure: Callable[[str, str, str], CodeMove | None], text: str, own: str, peer: str
) -> _Measured:
    try:
        return _Measured(measure(text, own, peer), compared=True)
    except TooMuchWork:
        return _Measured(_move_of(_by_lines(text, own), _by_lines(text, peer)), compared=False)


def _key(*texts: str) -> bytes:
    return b"".join(map(_digest, texts))


@lru_cache(maxsize=TEXTS_AT_HAND)
def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
