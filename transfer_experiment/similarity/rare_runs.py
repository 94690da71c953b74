"""What one text needs to be compared: its rare characters, and where runs of them stand."""

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import cached_property, lru_cache
from itertools import chain
from typing import Final

from transfer_experiment.similarity.characters import CharacterCounts

# difflib calls a character popular in a text of at least this length ...
AUTOJUNK_LENGTH = 200
# ... when it makes up more than this share of it, in percent, plus one.
AUTOJUNK_PERCENT = 1
KEPT_TEXTS = 16
_SLOTS_PER_PLACE = 8
# Runs from this size on have an index; shorter ones are many.
INDEXED = 4
_FIRST_CHUNK = 32
_RARE: Final = ord("x")
_POPULAR: Final = ord(" ")
_REPLACED: Final = re.compile(rb"\?")
# A literal start is what `re` searches fastest.
_AT_LEAST: Final = {size: re.compile(b"x" * size + b"x*") for size in range(1, INDEXED + 1)}
_COUNTS: Final = CharacterCounts()


class RareRuns:
    """A text as the second one of comparisons.

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._tables: dict[int, bytearray] = {}

    @cached_property
    def rare(self) -> frozenset[str]:
        """Its characters that difflib does not call popular."""
        counts = _COUNTS.of(self.text)
        if len(self.text) < AUTOJUNK_LENGTH:
            return frozenset(counts)
        most = len(self.text) * AUTOJUNK_PERCENT // 100 + 1
        return frozenset(char for char, count in counts.items() if count <= most)

    def mask(self, text: str) -> bytes:
        """For each character of a text, whether it is one of its rare ones: `x` or a space."""
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

    def common(self, text: str, places: Iterable[int], size: int) -> list[int]:
        """Keep the places of a text whose run of `size` may stand in this one too."""
        if (table := self._tables.get(size)) is None:
            own = self._own_runs
            own_places = _starts(own[: bisect_right(own, -size, key=_minus_length)], size)
            # It marks hashes, which others may share: that costs time only.
            table = bytearray(1 << (_SLOTS_PER_PLACE * len(own_places)).bit_length())
            self._tables[size] = table
            for start in own_places:
                table[hash(self.text[start : start + size]) & (len(table) - 1)] = 1
        mask = len(table) - 1
        return [start for start in places if table[hash(text[start : start + size]) & mask]]

    @cached_property
    def _own_runs(self) -> list[tuple[int, int]]:
        """Its own runs that have an index, the longest first."""
        return sorted(_runs(self.mask(self.text), INDEXED), key=_minus_length)


def places(mask: bytes, size: int, low: int = 0, high: int | None = None) -> list[int]:
    """Where runs of `size` rare characters begin in a part of a mask (see `RareRuns.mask`)."""
    return _starts(_runs(mask, size, low, high), size)


def _runs(mask: bytes, size: int, low: int = 0, high: int | None = None) -> list[tuple[int, int]]:
    """Where runs of at least `size` rare characters stand: start and end of each."""
    runs = _AT_LEAST[size].finditer(mask, low, len(mask) if high is None else high)
    return [run.span() for run in runs]


def _starts(spans: Iterable[tuple[int, int]], size: int) -> list[int]:
    """Where runs of `size` begin within longer ones."""
    return list(chain.from_iterable([range(start, end - size + 1) for start, end in spans]))


def _minus_length(run: tuple[int, int]) -> int:
    return run[0] - run[1]


@lru_cache(maxsize=KEPT_TEXTS)
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
