"""Where each line of an agent's code came from: from a peer, from its own past, or new.

A line is a line of text without the space around it; empty ones have no origin. A line is

- *own* if it stood in an earlier generation of the agent;
- *from a peer* if it did not, and stands in a strategy that was in sight;
- *new* otherwise.

A line keeps the origin that it first came in with. Lines of fewer than two words (`else:`, `)`)
say nothing of where they are from: they are *not telling*, and no evidence of anything.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import msgspec

from transfer_experiment.similarity.memory import TEXTS_AT_HAND

_TWO_WORDS = re.compile(r"\w+\W+\w")


class Origin(NamedTuple):
    """Where a line came from.

    Attributes:
        generation: In which generation of the agent it came in.
        strategy: Folder of the peer's strategy that it was taken from; empty if it was new.
    """

    generation: int
    strategy: str


class LineCounts(msgspec.Struct, frozen=True):
    """How many lines of a generation's code are of which origin."""

    peer: int
    own: int
    new: int


class Labelled(NamedTuple):
    """One line of code as it stands, with its origin; None for an empty line."""

    text: str
    origin: Origin | None


class Lineage:
    """The lines that an agent's code ever had, as its generations are taken in."""

    def __init__(self) -> None:
        self._origins: dict[str, Origin] = {}
        self._previous: frozenset[str] = frozenset()

    def __contains__(self, line: str) -> bool:
        return line in self._origins

    def from_peer(self, text: str, peer_lines: frozenset[str]) -> list[str]:
        """The telling lines of a text that stand in a peer's code and never stood in the own."""
        return [line for line in self._new(text) if line in peer_lines and is_telling(line)]

    def owed(self, text: str, peer_lines: frozenset[str]) -> list[str]:
        """The telling lines of a text that stand in a peer's code and first came from a peer."""
        return [
            line
            for line in _stripped(text.splitlines())
            if line in peer_lines and self._is_from_peer(line)
        ]

    def _is_from_peer(self, line: str) -> bool:
        origin = self._origins.get(line)
        return origin is not None and origin.strategy != "" and is_telling(line)

    def gives(self, peer_lines: frozenset[str]) -> bool:
        """Whether a peer's code has a telling line that the own never had."""
        return any(line not in self._origins and is_telling(line) for line in peer_lines)

    def count(self, text: str, peer_lines: frozenset[str]) -> LineCounts:
        """Count the lines of a text by origin, before it is taken in."""
        there = sum(bool(line and not line.isspace()) for line in _split(text))
        new = self._new(text)
        peer = sum(line in peer_lines for line in new)
        return LineCounts(peer, there - len(new), len(new) - peer)

    def take(self, generation: int, text: str, seen: Mapping[str, frozenset[str]]) -> None:
        """Take in a generation's code.

        Args:
            generation: Its number.
            text: The code.
            seen: Lines of each strategy that was in sight, by its folder.
        """
        lines = frozenset(_split(text))
        if lines == self._previous:
            return
        for line in self._new(text):
            source = next((name for name, lines in seen.items() if line in lines), "")
            self._origins.setdefault(line, Origin(generation, source))
        self._previous = lines

    def _new(self, text: str) -> list[str]:
        """The lines of a text that never stood in the own code, stripped, as often as they stand.

        What stood in the previous generation is left out before it is looked at more closely.
        """
        changed = [line for line in _split(text) if line not in self._previous]
        return [line for line in _stripped(changed) if line not in self._origins]

    def label(self, text: str) -> list[Labelled]:
        """Give each line of a text that was taken in its origin."""
        return [Labelled(line, self._origins.get(line.strip())) for line in text.splitlines()]


@lru_cache(maxsize=2)  # what is judged now: the task agent and the meta agent
def _split(text: str) -> list[str]:
    return text.splitlines()


@lru_cache(maxsize=TEXTS_AT_HAND)
def lines_of(text: str) -> frozenset[str]:
    """The lines of a text without the space around them, each once."""
    return frozenset(_stripped(text.splitlines()))


def is_telling(line: str) -> bool:
    """Whether a line says something of where it is from: it has at least two words."""
    return _TWO_WORDS.search(line) is not None


def _stripped(lines: Iterable[str]) -> Iterator[str]:
    return (line for line in map(str.strip, lines) if line)
