"""Notes in one spelling: lower case, single spaces, nothing invisible, no lookalike letters."""

import bisect
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import NamedTuple

import msgspec

from guards.content.notes import Note, Part

LONGEST_FOLDED = 4  # characters that one character may become
# Letters, in lower case, that Unicode's table of confusables has as looking like others than ours.
LOOKALIKES = dict(
    zip(
        # Cyrillic
        "\u0432\u043a\u043c\u043d\u0442\u044c\u043f\u04cf\u0493"
        # Greek
        "\u03b2\u03b5\u03b7\u03ba\u03bc\u03c2\u03c4\u03c7\u03c9"
        # Armenian
        "\u0575\u056c"
        # Typographic
        "\u2019\u2018\u02bc\uff07",
        "bkmhtbnlfbenkuctxwjl''''",
        strict=True,
    )
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
        for spelling in _spellings(note.text):
            separator = "\n"
            for number, line in enumerate(spelling.split("\n"), note.line):
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
    spellings = list[str]()
    for spelling in _spellings(text):
        lines = [line.strip(_DECORATION) for line in spelling.split("\n")]
        if folded := " ".join(" ".join(lines).split()):
            spellings.append(folded)
    return "\n" + "\n".join(spellings)


def _spellings(text: str) -> Iterator[str]:
    """Yield a text in lower case, without what is invisible and without lookalike letters.

    One with letters that have no ink is read in two ways: they part words, or hide within them.
    """
    if text.isascii():
        yield text.encode().translate(_LOWER, _CONTROLS).decode()
        return
    parted = _BLANKS.sub(" ", text)
    if parted != text:
        yield _in_lower_case(parted)
    yield _in_lower_case(_BLANKS.sub("", text))


def _in_lower_case(text: str) -> str:
    lines = (
        line if line.isascii() else "".join(map(_fold_character, line)) for line in text.split("\n")
    )
    return "\n".join(lines).lower()


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    # One by one: normalising a long run of combining marks takes its length squared.
    if _is_unseen(character):
        return ""
    variant = _VARIANT.fullmatch(unicodedata.name(character, ""))
    if variant and not character.isascii():
        return variant[1].lower()
    kept = unicodedata.normalize("NFKD", character).casefold()
    seen = "".join(c for c in kept if not _is_unseen(c))[:LONGEST_FOLDED]
    if seen.isascii():
        return seen
    drawn = _confusables().get(character, "")
    if drawn and not (drawn == "l" and character.isupper()):  # the table has a capital I as an l
        return drawn
    letters = "".join(LOOKALIKES.get(c) or _confusables().get(c, c) for c in seen)
    return letters if letters.isascii() else drawn or letters


class _Homoglyph(msgspec.Struct):
    c: str


@cache
def _confusables() -> dict[str, str]:
    """The ASCII letters that a character is drawn like, from Unicode's table (UTS 39)."""
    file = resources.files("confusable_homoglyphs") / "confusables.json"
    table = msgspec.json.decode(file.read_bytes(), type=dict[str, list[_Homoglyph]])
    letters = {
        character: [each.c.lower() for each in drawn if each.c.isascii() and each.c.isalpha()]
        for character, drawn in table.items()
    }
    return {
        character: drawn[0]
        for character, drawn in letters.items()
        if drawn and len(drawn[0]) <= LONGEST_FOLDED and not character.isascii()
    }


def _is_unseen(character: str) -> bool:
    return unicodedata.category(character) in _UNSEEN and character not in _LAYOUT


_LAYOUT = "\t\n\r\v\f"
_CONTROLS = bytes([*range(0x09), *range(0x0E, 0x20), 0x7F])
_LOWER = bytes(range(256)).lower()
_BLANKS = re.compile("[\u115f\u1160\u3164\uffa0\u2800]")  # letters and a symbol without any ink
_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Mn", "Me"})
