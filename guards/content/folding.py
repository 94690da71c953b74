"""Notes in one spelling: lower case, single spaces, nothing invisible, no lookalike letters."""

import bisect
import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from guards.content.notes import Note, Part

LONGEST_FOLDED = 4  # characters that one character may become
# Letters of other scripts, in lower case, that are drawn like a Latin one.
LOOKALIKES = str.maketrans(
    # Cyrillic
    "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u044c\u0433\u043f\u0456\u0458"
    "\u0455\u0475\u04bb\u04cf\u0501\u051b\u051d\u04af\u0493\u0461"
    # Greek
    "\u03b1\u03b2\u03b3\u03b5\u03b7\u03b9\u03ba\u03bc\u03bd\u03bf\u03c1\u03c3\u03c2\u03c4\u03c5\u03c7\u03c9\u03f2\u03f3"
    # Armenian
    "\u0585\u057d\u0578\u0570\u0575\u0566\u0581\u056c\u057c"
    # Typographic
    "\u2019\u2018\u02bc\uff07",
    "abekmhopctyxbrnijsvhldqwyfwabyenikuvopoctuxwcjounhjqgln''''",
)
# Variants of a Latin letter that have no decomposition: small capitals, hooks, strokes, symbols.
_VARIANT = re.compile(
    r"(?:.* )?(?:LATIN|INDICATOR SYMBOL) (?:.* )?LETTER "
    r"(?:(?:SMALL CAPITAL|DOTLESS|TURNED|REVERSED|OPEN|CLOSED|LONG|BARRED|SCRIPT) )*"
    r"([A-Z])(?: WITH .*)?"
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


def fold_text(text: str) -> str:
    """Bring a text that is one note into the spelling of `fold`, without places of lines."""
    lines = [line.strip(_DECORATION) for line in _in_lower_case(text).split("\n")]
    return "\n" + " ".join(" ".join(lines).split())


def _in_lower_case(text: str) -> str:
    """A text in lower case, without what is invisible and without lookalike letters."""
    if text.isascii():
        return text.encode().translate(_LOWER, _CONTROLS).decode()
    lines = (
        line if line.isascii() else "".join(map(_fold_character, line)).translate(LOOKALIKES)
        for line in text.split("\n")
    )
    return "\n".join(lines).lower()


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    # One by one: normalising a long run of combining marks takes its length squared.
    if character in _BLANKS or _is_unseen(character):
        return ""
    variant = _VARIANT.fullmatch(unicodedata.name(character, ""))
    if variant and not character.isascii():
        return variant[1].lower()
    kept = unicodedata.normalize("NFKD", character).casefold()
    return "".join(c for c in kept if not _is_unseen(c))[:LONGEST_FOLDED]


def _is_unseen(character: str) -> bool:
    return unicodedata.category(character) in _UNSEEN and character not in _LAYOUT


_LAYOUT = "\t\n\r\v\f"
_CONTROLS = bytes([*range(0x09), *range(0x0E, 0x20), 0x7F])
_LOWER = bytes(range(256)).lower()
# Letters and a symbol without any ink.
_BLANKS = "\u115f\u1160\u3164\uffa0\u2800"
_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Mn", "Me"})
