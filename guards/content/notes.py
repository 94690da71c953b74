"""Comments, docstrings and other strings of a file, found by tokens.

Tokens, not a syntax tree: the parser recurses, and a hostile text must not bring the host down.
"""

import io
import tokenize
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

Part = Literal["comment", "docstring", "string", "text"]
F_STRING_TEXT = getattr(tokenize, "FSTRING_MIDDLE", -1)  # from Python 3.12 on
PREFIXES = "rRbBuUfF"
LAYOUT = {tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.COMMENT}
ENDS = {tokenize.NEWLINE, tokenize.ENDMARKER}
DECISIONS = frozenset(
    {"if", "elif", "for", "while", "except", "and", "or", "case", "assert", "with", "lambda"}
)


class Note(NamedTuple):
    """A passage for readers.

    Attributes:
        part: What it stands in.
        line: Its first line, from 1.
        text: Its text; line ends are those of the file.
    """

    part: Part
    line: int
    text: str


class Reading(NamedTuple):
    """A file as its readers see it.

    Attributes:
        notes: In the order of lines; comments on successive lines are one note.
        decisions: Branches, loops and conditions, where it is Python.
    """

    notes: Sequence[Note]
    decisions: int


@lru_cache(maxsize=64)  # what is a candidate's now is a parent's next
def read_notes(path: str, text: str) -> Reading:
    """Take a file apart; what is not Python, or stops being it, is one note to its end."""
    if not path.endswith(".py"):
        return Reading((Note("text", 1, text),) if text else (), 0)
    reader = _Reader()
    if not reader.read(text):
        rest = "\n".join(text.split("\n")[reader.line - 1 :])
        reader.notes.append(Note("text", reader.line, rest))
    joined: list[list[Note]] = []  # comments on successive lines are one note
    for note in reader.notes:
        last = joined[-1][-1] if joined else None
        if last and note.part == last.part == "comment" and note.line == last.line + 1:
            joined[-1].append(note)
        else:
            joined.append([note])
    notes = tuple(Note(g[0].part, g[0].line, "\n".join(n.text for n in g)) for g in joined)
    return Reading(notes, reader.decisions)


class Statements:
    """Finds, token by token, the strings that are whole statements: docstrings and the like."""

    def __init__(self) -> None:
        self._strings: list[tuple[int, int]] = []
        self._only_strings = True

    def take(self, token: tokenize.TokenInfo) -> list[tuple[int, int]]:
        """Take the next token; when it ends a statement of strings alone, where they begin."""
        if token.type in LAYOUT:
            return []
        if token.type not in ENDS and token.string != ";":
            self._only_strings = self._only_strings and is_plain_string(token)
            if self._only_strings:
                self._strings.append(token.start)
            return []
        ended = self._strings if self._only_strings else []
        self._strings, self._only_strings = [], True
        return ended


class _Reader:
    def __init__(self) -> None:
        self.notes: list[Note] = []
        self.decisions = 0
        self.line = 1
        self._statements = Statements()
        self._open: dict[tuple[int, int], int] = {}

    def read(self, text: str) -> bool:
        """Read tokens as far as they can be told; whether that was to the end."""
        try:
            for token in tokenize.generate_tokens(io.StringIO(text).readline):
                if token.type == tokenize.ERRORTOKEN and token.string[0] in "\"'":
                    return False  # a string without an end
                self._take(token)
        except (tokenize.TokenError, SyntaxError):
            return False
        return True

    def _take(self, token: tokenize.TokenInfo) -> None:
        self.line = token.end[0]
        if token.type == tokenize.NAME:
            self.decisions += token.string in DECISIONS
        elif token.type == tokenize.COMMENT:
            self.notes.append(Note("comment", token.start[0], token.string.lstrip("#! ")))
        elif token.type in (tokenize.STRING, F_STRING_TEXT):
            self._open[token.start] = len(self.notes)
            self.notes.append(Note("string", token.start[0], token.string))
        for start in self._statements.take(token):
            index = self._open[start]
            self.notes[index] = self.notes[index]._replace(part="docstring")
        if token.type in ENDS:
            self._open.clear()


def is_plain_string(token: tokenize.TokenInfo) -> bool:
    """Return whether a token is a string that computes nothing: neither formatted nor bytes."""
    if token.type != tokenize.STRING:
        return False
    prefix = token.string[: len(token.string) - len(token.string.lstrip(PREFIXES))]
    return not set(prefix.lower()) & {"f", "b"}


def statement_strings(tokens: Iterable[tokenize.TokenInfo]) -> set[tuple[int, int]]:
    """Start positions of the strings that are whole statements."""
    statements = Statements()
    return {start for token in tokens for start in statements.take(token)}
