"""Phrases in notes: what they look like, and where in the file each stands.

Patterns are written against folded text. They are searched one after the other, never nested, and
every repetition in them has a small bound, so that time is linear in the text.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from guards.content.base import ContentFinding, Revision, fresh, quoted
from guards.content.folding import FoldedText
from guards.content.notes import Part

EVERYWHERE: frozenset[Part] = frozenset({"comment", "docstring", "string", "text"})
TO_READERS: frozenset[Part] = frozenset({"comment", "docstring", "text"})


class Phrase(NamedTuple):
    """A pattern and what it means when it is found.

    Attributes:
        kind: Kind of the finding.
        pattern: Searched in folded text.
        places: Where it counts; strings that code uses hold prompts and messages.
        beginnings: What every match begins with, one or another: to look for these first takes a
            tenth of the time. Without any it is looked for everywhere.
    """

    kind: str
    pattern: re.Pattern[str]
    places: frozenset[Part] = TO_READERS
    beginnings: Sequence[str] = ()

    def matches(self, text: str) -> Iterator[re.Match[str]]:
        """Find the pattern in folded text, as `finditer` does."""
        if not self.beginnings:
            yield from self.pattern.finditer(text)
        end = 0
        for at in sorted(at for part in self.beginnings for at in _places(text, part)):
            if at >= end and (match := self.pattern.match(text, at)):
                yield match
                end = match.end()


def _places(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def one_of(*words: str) -> str:
    """A pattern for one of these."""
    return f"(?:{'|'.join(words)})"


def maybe(*words: str) -> str:
    """A pattern for one of these and a space, or nothing."""
    return f"(?:{one_of(*words)} )?"


def phrase(
    kind: str,
    *alternatives: str,
    places: frozenset[Part] = TO_READERS,
    beginnings: Sequence[str] = (),
) -> Phrase:
    """Make a phrase of alternatives that begin and end at the borders of words."""
    pattern = rf"(?<!\w){one_of(*alternatives)}(?!\w)"
    return Phrase(kind, re.compile(pattern, re.MULTILINE), places, beginnings)


def find_phrases(
    path: str, document: FoldedText, phrases: Iterable[Phrase]
) -> list[ContentFinding]:
    """Find phrases in the notes of a file, in the order of lines."""
    return in_order(
        finding_at(path, document, phrase.kind, *hit.span())
        for phrase in phrases
        for hit in phrase.matches(document.text)
        if document.places[document.at(hit.start())] in phrase.places
    )


def find_new_phrases(revision: Revision, phrases: Iterable[Phrase]) -> list[ContentFinding]:
    """Find phrases in the notes of a file that the parent's text did not hold."""
    after = find_phrases(revision.after.path, revision.after.document, phrases)
    if not after:
        return []
    before = find_phrases(revision.before.path, revision.before.document, phrases)
    return fresh(after, before)


def in_order(findings: Iterable[ContentFinding]) -> list[ContentFinding]:
    """Sort findings by line."""
    return sorted(findings, key=lambda finding: (finding.line, finding.kind, finding.quote))


def finding_at(path: str, document: FoldedText, kind: str, start: int, end: int) -> ContentFinding:
    """Make the finding of a passage of the document."""
    first, last = document.at(start), document.at(max(start, end - 1))
    return ContentFinding(
        path=path,
        line=document.lines[first],
        kind=kind,
        quote=quoted(document.text[start:end]),
        last_line=document.lines[last],
        part=document.places[first],
    )
