"""Which characters of a text difflib does not call popular."""

import re
from collections import Counter
from typing import Final

# difflib calls a character popular in a text of at least this length ...
AUTOJUNK_LENGTH: Final = 200
# ... when it makes up more than this share of it, in percent, plus one.
AUTOJUNK_PERCENT: Final = 1
# Most characters of a program are of these few: counting each by itself costs less than to count
# all together. Which they are decides about nothing else.
_USUAL: Final = b" etsranio\nlfdc_pum.h"
_BEYOND_ASCII: Final = re.compile(r"[^\x00-\x7f]")


class RareCharacters:
    """Finds the rare characters of texts; each is counted by what differs from the one before."""

    def __init__(self) -> None:
        self._lines: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()

    def of(self, text: str) -> frozenset[str]:
        """Return a text's characters that difflib does not call popular."""
        if len(text) < AUTOJUNK_LENGTH:
            return frozenset(text)
        lines = Counter(text.split("\n"))
        more, less = _beyond(lines, self._lines), _beyond(self._lines, lines)
        if len(more) + len(less) < len(text):
            self._counts.update(_count(more))
            self._counts.subtract(_count(less))
        else:
            self._counts = _count(text)
        self._lines = lines
        most = len(text) * AUTOJUNK_PERCENT // 100 + 1
        return frozenset([char for char, count in self._counts.items() if 0 < count <= most])


def _beyond(lines: Counter[str], others: Counter[str]) -> str:
    """The lines that are more often among some than among others, as often as they are more."""
    times = others.get
    return "".join(
        [(line + "\n") * (n - m) for line, n in lines.items() if (m := times(line, 0)) < n]
    )


def _count(text: str) -> Counter[str]:
    packed = text.encode("ascii", "ignore")
    counts = Counter(packed.translate(None, _USUAL).decode("ascii"))
    counts.update({chr(code): packed.count(code) for code in _USUAL})
    if not text.isascii():
        counts.update(_BEYOND_ASCII.findall(text))
    return counts
