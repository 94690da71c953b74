"""Patterns of paths, matched in one pass over the path whatever the pattern is.

A pattern becomes a small automaton, and the states that it can be in become the bits of one number:
for a hostile name there is nothing to go back to, as there is in a regular expression with several
stars.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

IN_NAME = "in name"


class GlobState(NamedTuple):
    """One state of a pattern's automaton.

    Attributes:
        on: The character at which it goes on to the next state; `IN_NAME` is each but `/`.
        stays: Characters at which it stays.
        skips: Which of the states after it are reached with it, without a character.
    """

    on: str = ""
    stays: Literal["", "in name", "always"] = ""
    skips: tuple[int, ...] = ()


WILD: Mapping[str, Sequence[GlobState]] = {
    "?": [GlobState(on=IN_NAME)],
    "*": [GlobState(stays=IN_NAME, skips=(1,))],
    "**": [GlobState(stays="always", skips=(1,))],
    "**/": [GlobState(skips=(1, 2)), GlobState(on="/", stays="always")],
    "/**": [GlobState(on="/", skips=(2,)), GlobState(stays="always", skips=(1,))],
}


class Glob:
    """A pattern; `EditScope` says what it can hold."""

    def __init__(self, pattern: str) -> None:
        if pattern.endswith("/"):
            pattern += "**"
        parts = re.split(r"(/\*\*\Z|\*\*/|\*\*|\*|\?)", pattern)
        states = [state for part in parts for state in WILD.get(part) or map(GlobState, part)]
        numbered = [(1 << number, state) for number, state in enumerate(states)]
        self._end = 1 << len(states)
        self._stays = sum(bit for bit, state in numbered if state.stays == "always")
        self._stays_in_name = sum(bit for bit, state in numbered if state.stays == IN_NAME)
        self._skips = {n: sum(bit for bit, s in numbered if n in s.skips) for n in (1, 2)}
        self._on: dict[str, int] = {}
        for bit, state in numbered:
            self._on[state.on] = self._on.get(state.on, 0) | bit

    def matches(self, path: str) -> bool:
        """Return whether the pattern is for this path, all of it."""
        states = self._reached(1)
        for character in path:
            go, stay = self._on.get(character, 0), self._stays
            if character != "/":
                go, stay = go | self._on.get(IN_NAME, 0), stay | self._stays_in_name
            states = self._reached((states & go) << 1 | states & stay)
        return bool(states & self._end)

    def _reached(self, states: int) -> int:
        """Add the states that are reached without a character; each is added once."""
        new = states
        while new:
            new = ((new & self._skips[1]) << 1 | (new & self._skips[2]) << 2) & ~states
            states |= new
        return states


@lru_cache(maxsize=256)
def glob(pattern: str) -> Glob:
    """Read a pattern."""
    return Glob(pattern)
