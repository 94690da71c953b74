"""What is kept of the last few texts: one generation after the other is asked about the same."""

from functools import lru_cache
from typing import Final

TEXTS_AT_HAND: Final = 16


@lru_cache(maxsize=TEXTS_AT_HAND)
def whole_lines(text: str) -> tuple[str, ...]:
    """The lines of a text as they stand, without their ends."""
    return tuple(text.splitlines())
