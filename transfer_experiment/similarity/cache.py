"""What is kept of the last few texts: one generation after the other is asked about the same."""

from functools import lru_cache
from typing import Final

# A generation of a fleet is judged against a strategy of every other agent, and so is the next.
TEXTS_AT_HAND: Final = 128


@lru_cache(maxsize=TEXTS_AT_HAND)
def whole_lines(text: str) -> tuple[str, ...]:
    """The lines of a text as they stand, without their ends."""
    return tuple(text.splitlines())
