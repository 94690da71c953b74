"""Searching: what is new goes into the index for a while, then words are found in what is there."""

import threading
from collections.abc import Iterator
from typing import Final

import msgspec

from hyperspace.dashboard.errors import BadQuery
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.results.place import RunPlace
from hyperspace.dashboard.search.database import (
    FEWEST_LETTERS,
    FoundPiece,
    SearchDatabase,
    SearchUnavailable,
    SourceKey,
    opened_index,
)
from hyperspace.dashboard.search.filling import Filler, FillState
from hyperspace.runs.traces.search import Excerpt, around, pattern_of

FILL_S: Final = 2.0
PAGE: Final = 50
_FILLING: Final = threading.Lock()


class SearchHit(msgspec.Struct, frozen=True):
    """Words that were found.

    Attributes:
        run: Id of the run.
        run_name: Its name; empty if it is no longer there.
        agent: Whose trace or code it is.
        generation: Of which generation, or `test`.
        file: The trace, or a file of code.
        line: The line of the trace, or of the code.
        field: The text of the call that holds it; empty of code.
        excerpt: The words around; None without `content=1`.
    """

    run: str
    run_name: str
    agent: str
    generation: str
    file: str
    line: int
    field: str
    excerpt: Excerpt | None


class SearchAnswer(msgspec.Struct, frozen=True):
    """What was found.

    Attributes:
        hits: In the order in which they were read.
        after: Where the next ones begin; 0 if there are none.
        runs_read: Runs that are in the index, whole.
        runs: Runs that are searched.
        unread: Why traces do not tell what was said, each with how many.
        problem: Why nothing or not everything could be searched, as a sentence; else empty.
    """

    hits: tuple[SearchHit, ...]
    after: int
    runs_read: int
    runs: int
    unread: dict[str, int]
    problem: str = ""

    @property
    def is_filling(self) -> bool:
        """Whether asking again finds more."""
        return self.runs_read < self.runs and not self.problem


def search(question: Question, *, with_texts: bool) -> SearchAnswer:
    """Search all runs, or the run of the address, for `q`; from `after` on.

    Args:
        question: The question.
        with_texts: Whether to give the words around.

    Raises:
        BadQuery: It has fewer than three letters, or too many.
    """
    query, after = question.text("q"), question.whole("after", 0)
    if len(query) < FEWEST_LETTERS:
        raise BadQuery(f"q={query!r}: give at least {FEWEST_LETTERS} letters to search for")
    places = (question.place,) if "run" in question.path else question.sources.tree.places()
    run = question.path.get("run")
    try:
        with opened_index(question.sources.cache) as database:
            state = _fill(question, database, places)
            pieces = list(database.find(query, run, after, PAGE))
            unread = database.problems(run)
    except SearchUnavailable as error:
        return SearchAnswer((), 0, 0, len(places), {}, f"{error}.")
    names = {run.id: run.name for run in places}
    hits = tuple(_hits(pieces, names, query, with_texts=with_texts))
    more = pieces[-1].number if len(pieces) == PAGE else 0
    return SearchAnswer(hits, more, state.done, state.of, unread, state.problem)


def _fill(question: Question, database: SearchDatabase, places: tuple[RunPlace, ...]) -> FillState:
    """Put in what is new; if somebody else is at it, wait for them as long."""
    filler = Filler(database, question.sources.traces, FILL_S)
    if not _FILLING.acquire(timeout=FILL_S):
        return FillState(0, len(places))
    try:
        if "run" not in question.path:
            filler.forget_others(places)
        return filler.fill(places)
    finally:
        _FILLING.release()


def _hits(
    pieces: list[FoundPiece], names: dict[str, str], query: str, *, with_texts: bool
) -> Iterator[SearchHit]:
    pattern, before = pattern_of(query), tuple[SourceKey, int, str]()
    for piece in pieces:
        where = (piece.source, piece.line, piece.field)
        if where == before:  # the same text, where two pieces of it overlap
            continue
        before = where
        match, line = pattern.search(piece.body), piece.line
        if match is not None and not piece.field:
            line += piece.body.count("\n", 0, match.start())
        # The index folds letters a little further than a pattern does.
        excerpt = Excerpt("", "", piece.body[:160]) if match is None else around(match)
        yield SearchHit(
            run=piece.source.run,
            agent=piece.source.agent,
            generation=piece.source.generation,
            file=piece.source.file,
            run_name=names.get(piece.source.run, ""),
            line=line,
            field=piece.field,
            excerpt=excerpt if with_texts else None,
        )
