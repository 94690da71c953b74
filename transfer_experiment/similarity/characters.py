"""How often each character stands in a text; lines that the text before had too count once."""

from collections import Counter
from typing import NamedTuple


class _Counted(NamedTuple):
    """A text's lines and characters, each with how often it stands there; every line has an end."""

    lines: Counter[str]
    characters: Counter[str]


class CharacterCounts:
    """Counts one text after the other; of a later version of the last one, what differs."""

    def __init__(self) -> None:
        self._last = _Counted(Counter(), Counter())

    def of(self, text: str) -> Counter[str]:
        """Count the characters of a text."""
        last, lines = self._last, Counter(text.split("\n"))
        came, gone = list[str](), list[str]()
        for line, times in lines.items() ^ last.lines.items():
            (came if lines.get(line) == times else gone).extend([line, "\n"] * times)
        if sum(map(len, came)) + sum(map(len, gone)) < len(text):
            characters = last.characters.copy()
            characters.update("".join(came))
            characters.subtract(Counter("".join(gone)))
        else:
            characters = Counter(text + "\n")
        self._last = _Counted(lines, characters)
        return characters - Counter("\n")
