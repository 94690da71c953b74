"""Similarity of program texts, as the published adoption rule measures it.

Ratios are those of Python's `difflib.SequenceMatcher(None, a, b).ratio()` with its default
autojunk, to the last bit, at a small part of its cost; see docs/reference/similarity.md.
"""

from typing import NamedTuple

from transfer_experiment.similarity.matching import compare

# A move towards a peer: d_peer / (d_own + d_peer) below this (docs/reference/analysis.md).
THRESHOLD = 0.4
_MARGIN = 1e-9


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
    d_own, d_peer = distance(text, own), distance(text, peer)
    total = d_own + d_peer
    return CodeMove(d_peer / total, d_own, d_peer) if total else None


def move_below(text: str, own: str, peer: str) -> CodeMove | None:
    """Measure a move, but only as far as is needed to rule it out.

    Returns:
        The move if its ratio is below `THRESHOLD`, else None.
    """
    if _ruled_out(text, own, peer):
        return None
    measured = move(text, own, peer)
    return measured if measured is not None and measured.ratio < THRESHOLD else None


def _ruled_out(text: str, own: str, peer: str) -> bool:
    """Return True if bounds suffice: a move is one only if 3 s_peer > 1 + 2 s_own."""
    if text == peer:
        return text == own
    most = _share(min(len(text), len(peer)), text, peer)
    if text == own or 3 * most < 1 - _MARGIN:
        return True
    least = 0.0
    for progress in compare(text, own):
        least = _share(progress.matched, text, own)
        if 1 + 2 * least > 3 * most + _MARGIN:
            return True
    return any(
        3 * _share(progress.possible, text, peer) < 1 + 2 * least - _MARGIN
        for progress in compare(text, peer)
    )


def _share(matched: int, a: str, b: str) -> float:
    total = len(a) + len(b)
    return 2.0 * matched / total if total else 1.0
