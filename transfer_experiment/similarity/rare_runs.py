"""What one text needs to be compared: its rare characters, and where runs of them stand."""

import re
from collections.abc import Iterable
from functools import cached_property, lru_cache
from itertools import compress
from typing import Final

from transfer_experiment.similarity.cache import TEXTS_AT_HAND
from transfer_experiment.similarity.characters import RareCharacters

# Runs from this size on have an index; shorter ones are many.
INDEXED = 4
_FIRST_CHUNK = 32
_POPULAR, _RARE = 0, 1
_CHARACTERS: Final = RareCharacters()
_REPLACED: Final = re.compile(rb"\?")


class _Places:
    """Where the runs of one size stand in a text, by their hashes: others may share those.

    Args:
        runs: The hash of each run.
        starts: Where it begins, ascending.
    """

    def __init__(self, runs: list[int], starts: list[int]) -> None:
        self.lasts = dict(zip(runs, starts, strict=True))
        self._runs = runs
        self._starts = starts

    @cached_property
    def firsts(self) -> dict[int, int]:
        """The first place of each."""
        return dict(zip(reversed(self._runs), reversed(self._starts), strict=True))


class RareRuns:
    """A text as the second one of comparisons.

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._tables: dict[int, _Places] = {}

    @cached_property
    def rare(self) -> frozenset[str]:
        """Its characters that difflib does not call popular."""
        return _CHARACTERS.of(self.text)

    def mask(self, text: str) -> bytes:
        """For each character of a text, whether it is one of its rare ones: 1 or 0."""
        packed = text.encode("ascii", "replace")
        mask = packed.translate(self._in_mask)
        if text.isascii():
            return mask
        marked = bytearray(mask)
        for found in _REPLACED.finditer(packed):
            at = found.start()
            marked[at] = _RARE if text[at] in self.rare else _POPULAR
        return bytes(marked)

    @cached_property
    def _in_mask(self) -> bytes:
        table = bytearray([_POPULAR]) * 256
        for code in "".join(self.rare).encode("ascii", "ignore"):
            table[code] = _RARE
        return bytes(table)

    def common(self, text: str, there: Iterable[int], size: int) -> list[int]:
        """Keep the places of a text whose run of `size` may stand in this one too."""
        lasts = self._places(size).lasts
        return [start for start in there if hash(text[start : start + size]) in lasts]

    def common_within(
        self, text: str, there: Iterable[int], size: int, low: int, high: int
    ) -> list[int]:
        """Keep those of common places whose run may stand in a part of this text."""
        table = self._places(size)
        firsts, lasts, last = table.firsts, table.lasts, high - size
        return [
            start
            for start in there
            if lasts[run := hash(text[start : start + size])] >= low and firsts[run] <= last
        ]

    def _places(self, size: int) -> _Places:
        if (table := self._tables.get(size)) is None:
            own = places(self._own_mask, size)
            # Long runs themselves would fill memory; a hash that others share costs time only.
            runs = [hash(self.text[start : start + size]) for start in own]
            table = self._tables[size] = _Places(runs, own)
        return table

    def short(self, size: int, low: int, high: int) -> set[str]:
        """Return the runs of a size that stand in a part of the text."""
        own = places(self._own_mask, size, low, high)
        return {self.text[start : start + size] for start in own}

    @cached_property
    def _own_mask(self) -> bytes:
        return self.mask(self.text)


def places(mask: bytes, size: int, low: int = 0, high: int | None = None) -> list[int]:
    """Where runs of `size` rare characters begin in a part of a mask (see `RareRuns.mask`)."""
    high = len(mask) if high is None else high
    if size == 1:
        return list(compress(range(low, high), mask[low:high]))
    starts: list[int] = []
    shortest = bytes([_RARE]) * size
    start = mask.find(shortest, low, high)
    while start >= 0:
        end = mask.find(_POPULAR, start + size, high)
        if end < 0:
            end = high
        starts += range(start, end - size + 1)
        start = mask.find(shortest, end + 1, high)
    return starts


@lru_cache(maxsize=TEXTS_AT_HAND)
def rare_runs(text: str) -> RareRuns:
    """The tables of a text, kept while it is among the last ones asked for."""
    return RareRuns(text)


def common_prefix(a: str, i: int, b: str, j: int, limit: int) -> int:
    """How many characters are equal from `a[i]` and `b[j]` on, up to a limit."""
    done, chunk = 0, _FIRST_CHUNK
    while done < limit:
        chunk = min(chunk, limit - done)
        if a[i + done : i + done + chunk] == b[j + done : j + done + chunk]:
            done, chunk = done + chunk, chunk * 2
        elif chunk == 1:
            break
        else:
            limit, chunk = done + chunk, chunk // 2
    return done


def common_suffix(a: str, i: int, b: str, j: int, limit: int) -> int:
    """How many characters are equal right before `a[i]` and `b[j]`, up to a limit."""
    done, chunk = 0, _FIRST_CHUNK
    while done < limit:
        chunk = min(chunk, limit - done)
        if a[i - done - chunk : i - done] == b[j - done - chunk : j - done]:
            done, chunk = done + chunk, chunk * 2
        elif chunk == 1:
            break
        else:
            limit, chunk = done + chunk, chunk // 2
    return done
