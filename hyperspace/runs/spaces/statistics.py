"""The numbers of a mark space, all of one committed state."""

import time
from collections import Counter
from collections.abc import Iterator
from math import isfinite
from typing import Any

import msgspec

from hyperspace.runs.spaces.opening import HEADINGS, STATES, decoded, pages, size_bytes
from markspace import MarkSpace
from markspace.keeping.leases import facts_of
from markspace.stores.base import Reader


class MarkCount(msgspec.Struct, frozen=True):
    """Marks of one type in one scope, by what became of them."""

    scope: str
    mark_type: str
    live: int
    superseded: int
    archived: int


class LeaseState(msgspec.Struct, frozen=True):
    """A lease that somebody has.

    Attributes:
        name: What is leased.
        holder: Who has it.
        token: Its fencing token.
        age_s: Seconds since the last heartbeat.
        expired: Whether others may take it over.
        info: What the holder says about itself.
    """

    name: str
    holder: str
    token: int
    age_s: float
    expired: bool
    info: dict[str, Any]


class Statistics(msgspec.Struct, frozen=True):
    """The numbers of a space.

    Attributes:
        counts: By scope, then type.
        marks: Of any state.
        scopes: Registered ones.
        size_bytes: What it takes on disk, indexes included.
        sequence: Of the last mark.
        entries: In the audit chain.
        head: Digest of the last entry, hexadecimal.
        clock: Time of the last mark; None if there is none.
        leases: Those that somebody has.
    """

    counts: tuple[MarkCount, ...]
    marks: int
    scopes: int
    size_bytes: int
    sequence: int
    entries: int
    head: str
    clock: float | None
    leases: tuple[LeaseState, ...]


def statistics_of(space: MarkSpace) -> Statistics:
    """Count what is in a space."""
    with space.store.snapshot() as reader:
        head = reader.head()
        counts = tuple(counted(reader))
        return Statistics(
            counts=counts,
            marks=sum(count.live + count.superseded + count.archived for count in counts),
            scopes=len(reader.scopes()),
            size_bytes=size_bytes(space.store, reader),
            sequence=head.sequence,
            entries=head.entry,
            head=head.digest.hex(),
            clock=head.clock if isfinite(head.clock) else None,
            leases=tuple(leases(reader)),
        )


def counted(reader: Reader) -> Iterator[MarkCount]:
    """Count marks by scope and type."""
    states: dict[tuple[str, str], Counter[int]] = {}
    for page in pages(reader):
        for row in page:
            mark = decoded(HEADINGS, row)
            key = (mark.scope, mark.mark_type.value)
            states.setdefault(key, Counter())[row.state] += 1
    for (scope, mark_type), by_state in sorted(states.items()):
        yield MarkCount(scope, mark_type, *(by_state[state] for state in range(len(STATES))))


def leases(reader: Reader) -> Iterator[LeaseState]:
    """Return the leases that were not released."""
    now = time.time()
    for row in reader.leases(""):
        if row.holder:
            age_s = max(0.0, now - row.heartbeat)
            is_stale, facts = age_s > row.ttl_s, facts_of(row)
            yield LeaseState(row.name, row.holder, row.token, age_s, is_stale, facts)
