"""Lines of code, as they are compared: without the space around them, and telling or not."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from transfer_experiment.similarity.cache import TEXTS_AT_HAND, whole_lines

_TWO_WORDS: Final = re.compile(r"\w+\W+\w")
_THREE_TOKENS: Final = re.compile(r"(?:(?:\w+\b|[^\w\s])\s*){3}")


@lru_cache(maxsize=TEXTS_AT_HAND)
def distinct_lines(text: str) -> frozenset[str]:
    """The lines of a text as they stand, each once."""
    return frozenset(whole_lines(text))


@lru_cache(maxsize=TEXTS_AT_HAND)
def lines_beyond(text: str, before: str) -> tuple[str, ...]:
    """The lines of a text as they stand that another one does not have."""
    old = distinct_lines(before)
    return tuple([line for line in whole_lines(text) if line not in old])


@lru_cache(maxsize=TEXTS_AT_HAND)
def lines_of(text: str) -> frozenset[str]:
    """The lines of a text without the space around them, each once."""
    return frozenset(stripped(distinct_lines(text)))


@lru_cache(maxsize=TEXTS_AT_HAND)
def line_numbers(text: str) -> Mapping[str, int]:
    """The lines of a text without the space around them, each with the first place of it from 1."""
    numbers: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        numbers.setdefault(line.strip(), number)
    return numbers


def is_telling(line: str) -> bool:
    """Return True if a line says something of where it is from: two words, three tokens or more."""
    return _TWO_WORDS.search(line) is not None and _THREE_TOKENS.search(line) is not None


def stripped(lines: Iterable[str]) -> Iterator[str]:
    """The lines that are not empty, without the space around them."""
    return (line for line in map(str.strip, lines) if line)
