"""A mark space as it was right after any of its marks: counts, needs, marks a page at a time."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final
from uuid import UUID

import msgspec

from hyperspace.runs.spaces.listing import OF_A_RUN, Wording, facts, key_of, printable
from hyperspace.runs.spaces.opening import HEADINGS, STATES, decoded
from hyperspace.runs.spaces.statistics import MarkCount
from markspace import AnyMark, MarkSpace, MarkType, Need, scope_contains
from markspace.errors import ScopeError, ValidationError
from markspace.keeping.readable import PastSpace
from markspace.keeping.reading import Fetched
from markspace.stores.base import ARCHIVED, LIVE, SUPERSEDED, Query, Reader, StoredMark

MOST_COUNTED: Final = 20_000  # marks; counting decodes each
MOST_NEEDS: Final = 200
_WINDOW: Final = 500
_MOST_PASSED: Final = 5_000  # marks that one page looks through for those of a scope


class MomentMark(msgspec.Struct, frozen=True):
    """A mark as it stood at a moment.

    Attributes:
        sequence: Its place in the order of commits.
        mark_type: Its type.
        scope: Where it was written.
        key: Its topic or resource; empty if it has neither.
        author: Who wrote it: a name where it is known, else an id.
        strength: What it was worth.
        state: `live`, `superseded` or `archived`.
        superseded_by: Sequence of the mark that had taken its place; None if none had.
        created_at: When it was written, on the clock of the space.
        said: Its short values; empty where texts are not asked for.
    """

    sequence: int
    mark_type: str
    scope: str
    key: str
    author: str
    strength: float
    state: str
    superseded_by: int | None
    created_at: float
    said: str


class NeedState(msgspec.Struct, frozen=True):
    """A question to the person, as it stood at a moment.

    Attributes:
        sequence: Its place in the order of commits; an answer makes a new one.
        scope: Where it was asked.
        is_open: Whether nobody had answered.
        blocking: Whether somebody waited for the answer.
        priority: How urgent, in [0, 1].
        question: What was asked; empty where texts are not asked for.
    """

    sequence: int
    scope: str
    is_open: bool
    blocking: bool
    priority: float
    question: str


class SpaceMoment(msgspec.Struct, frozen=True, kw_only=True):
    """A space as it was right after a mark.

    Attributes:
        at: The last mark that counts.
        head: Sequence of the last mark that there is.
        entries: Entries of the audit chain.
        digest: Of the chain's last entry, hexadecimal.
        clock: The space's time then.
        counts: Marks by scope and type as they stood; None where there are too many to count.
        needs: Questions; the last 200.
        marks: A page of marks, the last one first.
        before: Where the next page begins: with marks below this sequence; 0 if there is none.
    """

    at: int
    head: int
    entries: int
    digest: str
    clock: float
    counts: tuple[MarkCount, ...] | None
    needs: tuple[NeedState, ...]
    marks: tuple[MomentMark, ...]
    before: int


class MomentQuery(msgspec.Struct, frozen=True, kw_only=True):
    """What of a space is asked for.

    Attributes:
        at: The last mark that counts; None, or one that is not there yet, is the present.
        scope: Only marks of this scope and below it; empty for all.
        before: Only marks below this sequence; None for all.
        count: At most this many.
        with_texts: Whether what marks say is read, too.
        wording: How to speak of them.
        authors: Names by author.
    """

    at: int | None = None
    scope: str = ""
    before: int | None = None
    count: int = 50
    with_texts: bool = False
    wording: Wording = OF_A_RUN
    authors: Mapping[UUID, str] = {}


def read_moment(space: MarkSpace, query: MomentQuery) -> SpaceMoment:
    """Read a space as it was.

    Raises:
        StoreError: It cannot be read.
    """
    with space.store.snapshot() as reader:
        head = reader.head()
        at = head.sequence if query.at is None else min(query.at, head.sequence)
        past = space.at(at)
        rows, before = _page(reader, query, at)
        return SpaceMoment(
            at=at,
            head=head.sequence,
            entries=head.entry,
            digest=head.digest.hex(),
            clock=past.now(),
            counts=tuple(_counts(reader, at)) if at <= MOST_COUNTED else None,
            needs=tuple(_needs(past, reader, with_texts=query.with_texts)),
            marks=tuple(_marks(past, reader, rows, query)),
            before=before,
        )


def mark_at(space: MarkSpace, sequence: int) -> AnyMark | None:
    """Return one mark whole; None if there is none of this sequence."""
    with space.store.snapshot() as reader:
        rows = reader.scan(sequence - 1, 1) if sequence > 0 else []
        is_there = rows and rows[0].sequence == sequence
        return decoded(space.decoder, rows[0]) if is_there else None


def _page(reader: Reader, query: MomentQuery, at: int) -> tuple[list[StoredMark], int]:
    """Return rows from the last to the first, and where the next page begins."""
    upper = at + 1 if query.before is None else min(query.before, at + 1)
    rows, lowest = list[StoredMark](), max(1, upper - _MOST_PASSED)
    while upper > lowest:
        start = max(lowest, upper - _WINDOW)
        for row in reversed(reader.scan(start - 1, upper - start)):
            is_within = not query.scope or scope_contains(query.scope, decoded(HEADINGS, row).scope)
            if row.sequence < upper and is_within:
                rows.append(row)
                if len(rows) == query.count:
                    return rows, row.sequence if row.sequence > 1 else 0
        upper = start
    return rows, upper if upper > 1 else 0


def _marks(
    past: PastSpace, reader: Reader, rows: list[StoredMark], query: MomentQuery
) -> Iterator[MomentMark]:
    for row in rows:
        mark = decoded(past.decoder if query.with_texts else HEADINGS, row)
        said = facts(mark, query.wording) if query.with_texts else ()
        state = _state(row, past.sequence)
        yield MomentMark(
            sequence=row.sequence,
            mark_type=mark.mark_type.value,
            scope=printable(mark.scope, 200),
            key=printable(key_of(mark), 200),
            author=query.authors.get(mark.agent_id, str(mark.agent_id)),
            strength=strength_of(past, reader, row, mark),
            state=STATES[state],
            superseded_by=row.ended if state == SUPERSEDED else None,
            created_at=mark.created_at,
            said="; ".join(f"{name} {printable(str(value), 200)}" for name, value in said),
        )


def _state(row: StoredMark, at: int) -> int:
    """Return how a mark stood: when it was archived is not on record with it, so that counts."""
    if row.state == ARCHIVED:
        return ARCHIVED
    return SUPERSEDED if 0 < row.ended <= at else LIVE


def strength_of(past: PastSpace, reader: Reader, row: StoredMark, mark: AnyMark) -> float:
    """Return what a mark was worth at a moment; its first strength where no scope defines it."""
    try:
        warnings = reader.warnings([row.sequence], past.sequence)
        ranked = past.view(reader).rank(Fetched([row], warnings), 0.0)
    except (ScopeError, ValidationError):  # of a scope that nothing defines any more
        return mark.initial_strength
    return ranked[0].strength if ranked else 0.0


def _counts(reader: Reader, at: int) -> Iterator[MarkCount]:
    states: dict[tuple[str, str], Counter[int]] = {}
    after = 0
    while after < at and (page := reader.scan(after, min(_WINDOW, at - after))):
        for row in page:
            if row.sequence <= at:
                mark = decoded(HEADINGS, row)
                key = (mark.scope, mark.mark_type.value)
                states.setdefault(key, Counter())[_state(row, at)] += 1
        after = page[-1].sequence
    for (scope, mark_type), by_state in sorted(states.items()):
        yield MarkCount(scope, mark_type, *(by_state[state] for state in range(len(STATES))))


def _needs(past: PastSpace, reader: Reader, *, with_texts: bool) -> Iterator[NeedState]:
    rows = list[StoredMark]()
    for root in past.root_scopes():
        rows += reader.select(Query(root, (MarkType.NEED.value,), upto=past.sequence))
    for row in sorted(rows, reverse=True)[:MOST_NEEDS]:
        need: Any = decoded(past.decoder, row)
        if isinstance(need, Need):
            yield NeedState(
                row.sequence,
                printable(need.scope, 200),
                need.resolved_by is None,
                need.blocking,
                need.priority,
                need.question[:2000] if with_texts else "",
            )
