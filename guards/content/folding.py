"""Notes in one spelling: lower case, single spaces, nothing invisible, no lookalike letters."""

import bisect
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from guards.content.notes import Note, Part

LONGEST_FOLDED = 4  # characters that one character may become
LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u0442\u043c\u043a\u03b1\u03bf"
    "\u03c1\u03b5\u03b9\u03ba\u03bd\u03c4\u03c5\u2019",
    "aeopcyxijstmkaopeikvtu'",
)

_DECORATION = "#*\t /\\"


class FoldedText(NamedTuple):
    """All notes of a file as one text: a line for each note, a space between a note's lines.

    Attributes:
        text: The folded text.
        starts: Where each line of the file begins in it, ascending.
        lines: That line's number in the file, from 1.
        places: What that line stands in.
    """

    text: str
    starts: Sequence[int]
    lines: Sequence[int]
    places: Sequence[Part]

    def at(self, position: int) -> int:
        """Index, in the three sequences, of the line that a position belongs to."""
        return bisect.bisect_right(self.starts, position) - 1


def fold(notes: Iterable[Note]) -> FoldedText:
    """Bring notes into one spelling."""
    parts: list[str] = []
    starts, lines, places = list[int](), list[int](), list[Part]()
    at = 0
    for note in notes:
        separator = "\n"
        for number, line in enumerate(_in_lower_case(note.text).split("\n"), note.line):
            # Decoration at the ends of a line is left out.
            if folded := " ".join(line.strip(_DECORATION).split()):
                parts += [separator, folded]
                starts.append(at + 1)
                lines.append(number)
                places.append(note.part)
                at += 1 + len(folded)
                separator = " "
    return FoldedText("".join(parts), starts, lines, places)


def _in_lower_case(text: str) -> str:
    """A text in lower case, without what is invisible and without lookalike letters."""
    if text.isascii():
        return text.lower()
    lines = (
        line if line.isascii() else "".join(map(_fold_character, line)).translate(LOOKALIKES)
        for line in text.split("\n")
    )
    return "\n".join(lines).lower()


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    # One by one: normalising a long run of combining marks takes its length squared.
    kept = unicodedata.normalize("NFKD", character).casefold()
    return "".join(c for c in kept if unicodedata.category(c) not in _UNSEEN)[:LONGEST_FOLDED]


_UNSEEN = frozenset({"Cf", "Mn", "Me"})
