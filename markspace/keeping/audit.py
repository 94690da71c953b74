"""The audit log: one entry per commit, each chained to the one before by its hash.

The digest of an entry is SHA-256 over the digest before it and the entry's bytes. An entry holds
the SHA-256 of each mark that its commit stored, so that neither marks nor decisions can be
changed, dropped or inserted without breaking the chain. Entries hold no wall time: equal histories
on a logical clock have equal heads.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Literal

import msgspec

from markspace.errors import StoreCorrupt
from markspace.stores.base import Reader, StoredEntry, StoreHead, Transaction

PAGE = 500
EntryKind = Literal["commit", "refusal", "scope", "archive", "decision"]


class Decision(msgspec.Struct, frozen=True, array_like=True):
    """A decision of the guard or the space about one request.

    Attributes:
        operation: Such as `write_mark` or `execute`.
        verdict: Such as `accepted`, `denied` or `rejected`.
        agent: Name of who asked.
        agent_id: Its id.
        scope: Where.
        mark_type: What.
        reason: Why; empty when accepted.
    """

    operation: str
    verdict: str
    agent: str
    agent_id: str
    scope: str
    mark_type: str
    reason: str = ""


class EntryBody(msgspec.Struct, frozen=True, array_like=True):
    """An entry as it is encoded. `marks` are SHA-256 of the marks `first` to `last`."""

    number: int
    kind: EntryKind
    first: int
    last: int
    marks: list[bytes]
    decisions: list[Decision]
    subject: str
    archived: str


class AuditEntry(msgspec.Struct, frozen=True):
    """One entry of the log.

    Attributes:
        number: Its place, from 1.
        kind: What happened.
        first: Sequence of the first mark that it stored; above `last` if it stored none.
        last: Sequence of the last mark in the space after it.
        marks: Content hash of each mark that it stored, hexadecimal.
        decisions: What was decided in it.
        subject: Name and hash of a registered scope.
        archived: Sequences of the marks that it took out of reads, such as "3-5,9".
        digest: Its hash, chained to the entry before, hexadecimal.
    """

    number: int
    kind: EntryKind
    first: int
    last: int
    marks: tuple[str, ...]
    decisions: tuple[Decision, ...]
    subject: str
    archived: str
    digest: str


ENCODER = msgspec.msgpack.Encoder()
DECODER = msgspec.msgpack.Decoder(EntryBody)


def chain(previous: bytes, body: bytes) -> bytes:
    """Return the digest of an entry."""
    return sha256(previous + body).digest()


def add_entry(
    tx: Transaction,
    head: StoreHead,
    kind: EntryKind,
    *,
    marks: Iterable[bytes] = (),
    decisions: list[Decision] | None = None,
    subject: str = "",
    archived: Iterable[int] = (),
    clock: float | None = None,
) -> StoreHead:
    """Chain an entry to `head` and return the new head. `marks` are encoded marks."""
    hashes = [sha256(mark).digest() for mark in marks]
    number, last = head.entry + 1, head.sequence + len(hashes)
    first, gone = head.sequence + 1, spans(archived) if archived else ""
    body = ENCODER.encode(
        EntryBody(number, kind, first, last, hashes, decisions or [], subject, gone)
    )
    new = StoreHead(last, number, head.clock if clock is None else clock, chain(head.digest, body))
    tx.add_entry(body, new)
    return new


def stored_entries(reader: Reader, after: int = 0) -> Iterator[StoredEntry]:
    """Return the entries above number `after`, in pages."""
    while page := reader.entries(after, PAGE):
        yield from page
        after = page[-1].number


def decoded(entry: StoredEntry) -> EntryBody:
    """Return an entry's body.

    Raises:
        StoreCorrupt: It is none.
    """
    try:
        return DECODER.decode(entry.body)
    except (ValueError, RecursionError) as error:
        raise StoreCorrupt(f"audit entry {entry.number} cannot be read: {error}") from error


def opened(entry: StoredEntry) -> AuditEntry:
    """Return an entry for people.

    Raises:
        StoreCorrupt: It is none.
    """
    body = decoded(entry)
    return AuditEntry(
        body.number,
        body.kind,
        body.first,
        body.last,
        tuple(mark.hex() for mark in body.marks),
        tuple(body.decisions),
        body.subject,
        body.archived,
        entry.digest.hex(),
    )


def spans(sequences: Iterable[int]) -> str:
    """Write increasing sequences compactly, such as "1-3,7"."""
    ends: list[list[int]] = []
    for sequence in sequences:
        if ends and ends[-1][1] == sequence - 1:
            ends[-1][1] = sequence
        else:
            ends.append([sequence, sequence])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in ends)


def spanned(text: str, most: int) -> Iterator[int]:
    """Read what `spans` wrote.

    Args:
        text: What it wrote.
        most: The largest sequence that there is.

    Raises:
        ValueError: It wrote something else.
    """
    for part in text.split(",") if text else ():
        first, _, last = part.partition("-")
        if int(last or first) > most:
            raise ValueError(f"sequence {last or first} of {most}")
        yield from range(int(first), int(last or first) + 1)
