"""Which characters of a text difflib does not call popular."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from transfer_experiment.similarity.cache import whole_lines

# difflib calls a character popular in a text of at least this length ...
AUTOJUNK_LENGTH: Final = 200
# ... when it makes up more than this share of it, in percent, plus one.
AUTOJUNK_PERCENT: Final = 1
# Most characters of a program are of these few: counting each by itself, and no more often than
# needed, costs less than to count all together. Which they are decides about nothing else.
_USUAL: Final = b" etsraniolfdc_pum.h"
_BEYOND_ASCII: Final = re.compile(r"[^\x00-\x7f]")


class RareCharacters:
    """Finds the rare characters of texts; each is counted by what differs from the one before."""

    def __init__(self) -> None:
        self._lines: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()
        self._at_least: dict[int, int] = {}  # of those that are popular for sure

    def of(self, text: str) -> frozenset[str]:
        """Return a text's characters that difflib does not call popular."""
        if len(text) < AUTOJUNK_LENGTH:
            return frozenset(text)
        self._count(text)
        most = len(text) * AUTOJUNK_PERCENT // 100 + 1
        for code in [code for code, least in self._at_least.items() if least <= most]:
            count = text.count(chr(code), 0, len(text) // 3)
            if count <= 2 * most:
                count = text.count(chr(code))
            if count > 2 * most:
                self._at_least[code] = count
            else:
                del self._at_least[code]
                self._counts[chr(code)] = count
        return frozenset([char for char, count in self._counts.items() if 0 < count <= most])

    def _count(self, text: str) -> None:
        feeds = text.count("\n")
        lines = Counter(_lines(text, feeds))
        more, less = _beyond(lines, self._lines), _beyond(self._lines, lines)
        if len(more) + len(less) < len(text):
            popular = bytes(self._at_least)
            self._counts.update(_others(more, popular))
            self._counts.subtract(_others(less, popular))
            for code in popular:
                self._at_least[code] -= less.count(chr(code))
        else:
            self._counts = _others(text, _USUAL)
            self._at_least = dict.fromkeys(_USUAL, 0)
        self._counts["\n"] = feeds
        self._lines = lines


def _lines(text: str, feeds: int) -> Sequence[str]:
    """The lines of a text with so many line feeds, such that nothing else is between them."""
    lines = whole_lines(text)
    return lines if sum(map(len, lines)) + feeds == len(text) else text.split("\n")


def _beyond(lines: Counter[str], others: Counter[str]) -> str:
    """The lines that are more often among some than among others, as often as they are more."""
    times = others.get
    return "".join([line * (n - m) for line, n in lines.items() if (m := times(line, 0)) < n])


def _others(text: str, popular: bytes) -> Counter[str]:
    """Count the characters of a text that are not known to be popular."""
    packed = text.encode("ascii", "ignore")
    counts = Counter(packed.translate(None, popular).decode("ascii"))
    if not text.isascii():
        counts.update(_BEYOND_ASCII.findall(text))
    return counts
