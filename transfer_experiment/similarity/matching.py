"""difflib's matches between two texts, counted without its square of the length.

difflib takes the longest common run of rare characters in a rectangle (the first in `a`, then in
`b`), widens it over whatever equal characters stand next to it, and goes on left and right of it.
A part of a rectangle never holds a longer run than the whole. So one pass for each run length,
from the longest to 1, over the rectangles that are left, finds the same matches. Where no rare
character is common, difflib takes the common prefix of the rectangle and is done with it.

Source: docs/reference/similarity.md.
"""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from difflib import Match, SequenceMatcher
from functools import partial
from itertools import accumulate, chain
from typing import Final, NamedTuple

from transfer_experiment.similarity.rare_runs import (
    INDEXED,
    RareRuns,
    common_prefix,
    common_suffix,
    places,
    rare_runs,
)

# Beyond this many candidate places for each character, difflib itself does the work.
WORK_PER_CHARACTER: Final = 24
# Beyond this many looks at a place, or at a pair of places, two texts are not compared: seconds.
MOST_LOOKS: Final = 10_000_000
# To look for something in so many characters in vain costs what a look at a place costs: `str.find`
# is faster where characters are of one byte.
_SCANNED_IN_A_LOOK: Final = {True: 1024, False: 256}


class SizeRange(NamedTuple):
    """Sizes of runs that are looked for at once: from `first` to before `end`."""

    first: int
    end: float


SIZE_RANGES: Final = (SizeRange(16, math.inf), SizeRange(8, 16), SizeRange(INDEXED, 8))


class TooMuchWork(Exception):
    """Two texts would take more work to compare than any two programs need."""


class Rectangle(NamedTuple):
    """The part of `a` from `alo` to `ahi` beside the part of `b` from `blo` to `bhi`."""

    alo: int
    ahi: int
    blo: int
    bhi: int

    @property
    def possible(self) -> int:
        """How many characters could match at most."""
        return min(self.ahi - self.alo, self.bhi - self.blo)


class Progress(NamedTuple):
    """How far a comparison has come.

    Attributes:
        matched: Characters that match for sure.
        possible: Characters that may match in the end; equal to `matched` at the end.
    """

    matched: int
    possible: int


def compare(a: str, b: str) -> Iterator[Progress]:
    """Count matching characters, more of them with each step; the last step is exact.

    Raises:
        TooMuchWork: The texts were made so that it would take very long.
    """
    runs = rare_runs(b)
    matching = _Matching(a, b, runs)
    allowed = WORK_PER_CHARACTER * (len(a) + len(b))
    # Long runs are few, and often match so much that whoever asks needs no others.
    for sizes in SIZE_RANGES:
        steps = list(_steps(matching, runs, sizes, allowed))
        allowed -= sum(step.work for step in steps)
        if allowed < 0:
            matched = matched_by_difflib(a, b)
            yield Progress(matched, matched)
            return
        for step in reversed(steps):
            for size in range(_longer(step.size) - 1, step.size - 1, -1):
                if starts := step.places_of(size):
                    yield matching.match_runs(size, partial(matching.common, starts, step.size))
    # Short runs are many: they are looked for only in what the long ones left.
    for size in range(INDEXED - 1, 1, -1):
        yield matching.match_runs(size, partial(matching.common_short, size))
    yield matching.match_runs(1, matching.common_characters)
    yield matching.match_prefixes()


def matched_by_difflib(a: str, b: str) -> int:
    """Count matching characters in the plain way.

    Raises:
        TooMuchWork: It would take very long.
    """
    return sum(block.size for block in _BoundedMatcher(a, b).get_matching_blocks())


class _BoundedMatcher(SequenceMatcher[str]):
    """difflib's matcher, which gives up beyond `MOST_LOOKS` pairs of equal rare characters."""

    def __init__(self, a: str, b: str) -> None:
        super().__init__(None, a, b)
        rare = rare_runs(b).rare
        times = Counter(char for char in b if char in rare)
        self._looks_before = tuple(accumulate((1 + times[char] for char in a), initial=0))
        self._looks = 0

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        end = len(self._looks_before) - 1 if ahi is None else ahi
        self._looks += self._looks_before[end] - self._looks_before[alo]
        if self._looks > MOST_LOOKS:
            raise TooMuchWork
        return super().find_longest_match(alo, ahi, blo, bhi)


class _Step:
    """Where runs of one size, and of sizes up to the next step, may be common.

    Args:
        size: Their length.
        places: Where in `a` they may begin, in order.
    """

    def __init__(self, size: int, places: list[int]) -> None:
        self.size = size
        self.places = places
        self._starts = frozenset(places)

    @property
    def work(self) -> int:
        """How many places it and the sizes up to the next step have to look at."""
        return len(self.places) * (_longer(self.size) - self.size)

    def places_of(self, size: int) -> list[int]:
        """Where runs of a size may begin: its first and its last part must be common too."""
        shift, starts = size - self.size, self._starts
        return [start for start in self.places if start + shift in starts] if shift else self.places


def _steps(
    matching: "_Matching", runs: RareRuns, sizes: SizeRange, allowed: int
) -> Iterator[_Step]:
    """Where runs of some sizes may be common in what is left, as far as there are any.

    It ends with the step that is more work than is allowed.
    """
    size = sizes.first
    starts = runs.common(matching.a, matching.places_left(size), size)
    while starts and size < sizes.end and allowed >= 0:
        step = _Step(size, starts)
        yield step
        allowed -= step.work
        size = _longer(size)
        starts = runs.common(matching.a, step.places_of(size), size)


def _longer(size: int) -> int:
    """The size of the next step: 4, 6, 8, 12, 16, 24, ..."""
    is_power_of_two = size & (size - 1) == 0
    return size * 3 // 2 if is_power_of_two else size * 4 // 3


class _Matching:
    """The matches of two texts as far as they are found."""

    def __init__(self, a: str, b: str, runs: RareRuns) -> None:
        self.a = a
        self.b = b
        self.matched = 0
        self._runs = runs
        self._mask = runs.mask(a)
        self._looks = 0
        self._scanned_in_a_look = _SCANNED_IN_A_LOOK[a.isascii() and b.isascii()]
        self.left: list[Rectangle] = [Rectangle(0, len(a), 0, len(b))]

    def places_left(self, size: int) -> Iterable[int]:
        """Where runs of `size` may begin in what is left of `a`."""
        return chain.from_iterable(
            places(self._mask, size, rest.alo, rest.ahi)
            for rest in self.left
            if rest.possible >= size
        )

    def common(self, starts: list[int], size: int, rest: Rectangle) -> list[int]:
        """Keep the starts of runs of at least `size` that a rectangle's part of `b` may have."""
        first, last = bisect_left(starts, rest.alo), bisect_left(starts, rest.ahi - size + 1)
        return self._runs.common_within(self.a, starts[first:last], size, rest.blo, rest.bhi)

    def common_short(self, size: int, rest: Rectangle) -> list[int]:
        """Where in `a` the runs of a short size stand that a rectangle's part of `b` has too."""
        starts = places(self._mask, size, rest.alo, rest.ahi)
        there = self._runs.short(size, rest.blo, rest.bhi) if starts else ()
        return [i for i in starts if self.a[i : i + size] in there]

    def common_characters(self, rest: Rectangle) -> list[int]:
        """Where in `a` the rare characters of a rectangle stand that its part of `b` has too."""
        starts = places(self._mask, 1, rest.alo, rest.ahi)
        part = self.b[rest.blo : rest.bhi]
        there = {char for char in {self.a[i] for i in starts} if char in part}
        return [i for i in starts if self.a[i] in there]

    def match_runs(self, size: int, places: Callable[[Rectangle], list[int]]) -> Progress:
        """Match the runs of `size` in what is left.

        Args:
            size: Length of the runs.
            places: Where in `a` they may begin within a rectangle, in order.
        """
        before = self.left
        self.left = []
        for rectangle in before:
            if rectangle.possible < size:
                self.left.append(rectangle)
            else:
                self._match_within(rectangle, places(rectangle), size)
        possible = sum(rectangle.possible for rectangle in self.left)
        return Progress(self.matched, self.matched + possible)

    def match_prefixes(self) -> Progress:
        """Match what no rare character is common in: difflib takes common prefixes there."""
        self.matched += sum(
            common_prefix(self.a, rest.alo, self.b, rest.blo, rest.possible) for rest in self.left
        )
        self.left = []
        return Progress(self.matched, self.matched)

    def _match_within(self, rectangle: Rectangle, places: list[int], size: int) -> None:
        """Take one match after the other; what lies before each waits for shorter runs."""
        alo, ahi, blo, bhi = rectangle
        a, b = self.a, self.b
        self._looks += len(places) * (1 + (bhi - blo) // self._scanned_in_a_look)
        if self._looks > MOST_LOOKS:
            raise TooMuchWork
        rest = b[blo:bhi]
        for i in places:
            if not alo <= i <= ahi - size or (run := a[i : i + size]) not in rest:
                continue
            j = blo + rest.index(run)
            back = common_suffix(a, i, b, j, min(i - alo, j - blo))
            end = i + size
            on = common_prefix(a, end, b, j + size, min(ahi - end, bhi - j - size))
            self._keep(Rectangle(alo, i - back, blo, j - back))
            self.matched += back + size + on
            alo, blo = end + on, j + size + on
            rest = b[blo:bhi]
        self._keep(Rectangle(alo, ahi, blo, bhi))

    def _keep(self, rest: Rectangle) -> None:
        if rest.alo < rest.ahi and rest.blo < rest.bhi:
            self.left.append(rest)
