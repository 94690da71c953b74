"""Distance between two program texts, as the published adoption rule measures it."""

from difflib import SequenceMatcher


def distance(a: str, b: str) -> float:
    """1 minus the Ratcliff/Obershelp ratio of two texts: 0 is equal, 1 has nothing in common.

    Source: docs/run-layout.md; Python's `difflib` with its default autojunk.
    """
    if a == b:
        return 0.0
    return 1.0 - SequenceMatcher(None, a, b).ratio()
