"""Finding words in the texts of one trace, a bounded time at a time."""

import re
import time
from typing import BinaryIO, Final

import msgspec

from hyperspace.runs.traces.index import TraceIndex
from hyperspace.runs.traces.pages import searched_texts

MOST_HITS: Final = 50
_AROUND: Final = 80  # characters on either side of a hit
_AT_ONCE: Final = 500


class Excerpt(msgspec.Struct, frozen=True):
    """The words around a hit.

    Attributes:
        before: What stands before it.
        hit: What was found.
        after: What follows.
    """

    before: str
    hit: str
    after: str


class TraceHit(msgspec.Struct, frozen=True):
    """Words that were found in a call.

    Attributes:
        line: Its line in the trace.
        field: The text that they stand in, as `SearchedText.field` names it.
        excerpt: The words around.
    """

    line: int
    field: str
    excerpt: Excerpt


class TraceHits(msgspec.Struct, frozen=True):
    """What was found in a part of a trace.

    Attributes:
        hits: In order, one a text.
        upto: The last line that was searched.
        is_done: Whether that was all of it.
    """

    hits: tuple[TraceHit, ...]
    upto: int
    is_done: bool


def search_trace(
    file: BinaryIO, index: TraceIndex, query: str, after: int, seconds: float
) -> TraceHits:
    """Find a text, whatever its case, in what each call brings that is new.

    Args:
        file: The trace.
        index: Its index.
        query: What to find, as it stands.
        after: Only later lines than this one.
        seconds: How long to search at most; at least one call is.
    """
    pattern = pattern_of(query)
    deadline, hits = time.monotonic() + seconds, list[TraceHit]()
    upto = after
    while calls := list(index.calls(upto + 1, _AT_ONCE)):
        for at in calls:
            for line, field, text in searched_texts(file, at):
                match = pattern.search(text)
                if match is not None:
                    hits.append(TraceHit(line, field, around(match)))
            upto = at.line
            if len(hits) >= MOST_HITS or time.monotonic() > deadline:
                return TraceHits(tuple(hits), upto, upto >= index.last_line)
    return TraceHits(tuple(hits), upto, True)


def pattern_of(query: str) -> re.Pattern[str]:
    """Return what finds a text as it stands, whatever its case."""
    return re.compile(re.escape(query), re.IGNORECASE)


def around(match: re.Match[str]) -> Excerpt:
    """Return the words around a hit."""
    start, end = match.span()
    text = match.string
    return Excerpt(text[max(0, start - _AROUND) : start], match[0], text[end : end + _AROUND])
