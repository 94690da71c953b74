"""What one text needs to be compared: its rare characters, and where runs of them stand."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from functools import cached_property, lru_cache
from itertools import chain

# difflib calls a character popular in a text of at least this length ...
AUTOJUNK_LENGTH = 200
# ... when it makes up more than this share of it, in percent, plus one.
AUTOJUNK_PERCENT = 1
KEPT_TEXTS = 16
_SLOTS_PER_PLACE = 8
# Runs from this size on have an index; shorter ones are many.
INDEXED = 4
_FIRST_CHUNK = 32


class RareRuns:
    """A text as the second one of comparisons.

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._tables: dict[int, bytearray] = {}
        self._patterns: dict[int, re.Pattern[str]] = {}

    @cached_property
    def rare(self) -> frozenset[str]:
        """Its characters that difflib does not call popular."""
        counts = Counter(self.text)
        if len(self.text) < AUTOJUNK_LENGTH:
            return frozenset(counts)
        most = len(self.text) * AUTOJUNK_PERCENT // 100 + 1
        return frozenset(char for char, count in counts.items() if count <= most)

    def places(self, text: str, size: int, low: int = 0, high: int | None = None) -> list[int]:
        """Where runs of `size` of its rare characters stand in a part of a text, common or not."""
        return _starts(self._runs(text, size, low, high), size)

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
        return sorted(self._runs(self.text, INDEXED), key=_minus_length)

    def _runs(
        self, text: str, size: int, low: int = 0, high: int | None = None
    ) -> list[tuple[int, int]]:
        """Where runs of at least `size` rare characters stand: start and end of each."""
        if not self.rare:
            return []
        if (pattern := self._patterns.get(size)) is None:
            rare = "".join(map(re.escape, sorted(self.rare)))
            pattern = self._patterns[size] = re.compile(f"[{rare}]{{{size},}}")
        runs = pattern.finditer(text, low, len(text) if high is None else high)
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
