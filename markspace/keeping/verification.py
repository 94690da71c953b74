"""Checking a space against its audit log: where the chain breaks, or that it ends too early."""

from collections.abc import Callable, Iterator
from hashlib import sha256

import msgspec

from markspace.core.marks import AnyMark, Need, Warning
from markspace.errors import StoreCorrupt
from markspace.keeping.audit import EntryBody, chain, decoded, spanned, stored_entries
from markspace.keeping.codec import FORMS, Decoder, position
from markspace.stores.base import ARCHIVED, LIVE, Reader, StoredEntry, StoredMark

PAGE = 500

Fetch = Callable[[bytes], bytes]


class VerifyResult(msgspec.Struct, frozen=True):
    """The result of a verification.

    Attributes:
        ok: Whether everything fits.
        entries: Entries that were checked and fit.
        head: Digest of the last entry that fits, hexadecimal.
        problem: The first thing that does not fit, and where; empty if all is well.
    """

    ok: bool
    entries: int
    head: str
    problem: str = ""


class Broken(Exception):
    """Something does not fit."""


class Verifier:
    """Walks through the log and the marks side by side."""

    def __init__(self, reader: Reader, fetch: Fetch) -> None:
        self._reader = reader
        self._fetch = fetch
        self._decoder = Decoder(self._fetched)
        self._fitting: set[bytes] = set()
        self._marks = all_marks(reader)
        self._entries: int = 0
        self._last: int = 0
        self._digest = bytes(32)
        self._replaced: dict[bytes, int] = {}
        self._ended: dict[bytes, int] = {}
        self._scopes: dict[str, str] = {}
        self._archived: set[int] = set()
        self._to_archive: set[int] = set()
        self._superseded: set[int] = set()
        self._to_supersede: set[int] = set()
        self._targets: dict[int, int] = {}
        self._clock = float("-inf")
        self._is_clock_certain = True

    def run(self, expected_head: str | None) -> VerifyResult:
        """Check everything. `expected_head` is a digest that the chain must have reached."""
        try:
            reached = expected_head is None or expected_head == self._digest.hex()
            for entry in stored_entries(self._reader):
                self._check_entry(entry)
                reached = reached or self._digest.hex() == expected_head
            self._check_end(reached, expected_head)
        except Broken as broken:
            return VerifyResult(False, self._entries, self._digest.hex(), str(broken))
        return VerifyResult(True, self._entries, self._digest.hex())

    def _check_entry(self, entry: StoredEntry) -> None:
        where = f"entry {self._entries + 1}"
        if entry.number != self._entries + 1:
            raise Broken(f"{where} is missing; the next one there is {entry.number}")
        if chain(self._digest, entry.body) != entry.digest:
            raise Broken(f"{where} does not fit the hash chain: it or its digest was changed")
        try:
            body = decoded(entry)
        except StoreCorrupt as error:
            raise Broken(str(error)) from error
        if body.number != entry.number or body.first != self._last + 1:
            raise Broken(f"{where} does not follow the entry before it")
        if body.kind in ("commit", "decision"):  # the others leave the clock where it is
            self._is_clock_certain = False
        for sequence, expected in enumerate(body.marks, body.first):
            self._check_mark(sequence, expected, where)
        if body.kind == "scope":
            name, _, digest = body.subject.rpartition(" ")
            self._scopes[name] = digest
        try:
            here = body.first + len(body.marks) - 1
            self._to_archive.update(spanned(body.archived, here))
        except ValueError as error:
            raise Broken(f"{where} archives what is not there ({error})") from error
        self._last, self._digest, self._entries = body.last, entry.digest, entry.number
        if entry.sequence not in (None, body.last):
            raise Broken(f"{where} is filed under mark {entry.sequence}, not {body.last}")
        if entry.clock is not None:
            self._check_clock(entry.clock, where)

    def _check_clock(self, clock: float, where: str) -> None:
        """Check the time that is noted beside an entry against its marks and the entry before."""
        if not clock >= self._clock or (self._is_clock_certain and clock != self._clock):
            raise Broken(f"the clock of {where} is {clock}, and its newest marks say {self._clock}")
        self._clock = clock

    def _fetched(self, digest: bytes) -> bytes:
        """Return a blob, which must be what its name says."""
        data = self._fetch(digest)
        if sha256(data).digest() != digest:
            raise StoreCorrupt(f"blob {digest.hex()} was changed")
        self._fitting.add(digest)
        return data

    def _check_blobs(self) -> None:
        """Check what no mark refers to, such as the files that a run keeps on a server."""
        for digest in all_digests(self._reader):
            if digest not in self._fitting:
                try:
                    self._fetched(digest)
                except StoreCorrupt as error:
                    raise Broken(str(error)) from error

    def _check_mark(self, sequence: int, expected: bytes, where: str) -> None:
        mark = next(self._marks, None)
        if mark is None or mark.sequence != sequence:
            raise Broken(f"mark {sequence} of {where} is missing")
        if sha256(mark.body).digest() != expected:
            raise Broken(f"mark {sequence} of {where} was changed: its content hash differs")
        try:
            self._check_filing(mark, self._decoder.decode(mark.body), where)
        except StoreCorrupt as error:
            raise Broken(f"mark {sequence} of {where}: {error}") from error

    def _check_filing(self, stored: StoredMark, mark: AnyMark, where: str) -> None:
        """Check that reads find the mark where it belongs, and note who replaced whom."""
        by_id = self._reader.get(mark.id.bytes)
        if by_id is None or by_id.sequence != stored.sequence:
            raise Broken(f"mark {stored.sequence} of {where} cannot be found by its id")
        if self._reader.filing(stored.sequence) != position(
            mark, FORMS[mark.mark_type], mark.agent_id.bytes
        ):
            raise Broken(f"mark {stored.sequence} of {where} is filed where it does not belong")
        if mark.supersedes is not None:
            self._replaced.setdefault(mark.supersedes.bytes, stored.sequence)
        if stored.ended:
            self._ended[mark.id.bytes] = stored.ended
            self._to_supersede.add(stored.sequence)
        if stored.state == ARCHIVED:
            self._archived.add(stored.sequence)
        elif stored.state != LIVE:
            self._superseded.add(stored.sequence)
        if isinstance(mark, Warning) and mark.invalidates is not None:
            weakened = self._reader.get(mark.invalidates.bytes)
            self._targets[stored.sequence] = 0 if weakened is None else weakened.sequence
        if not (isinstance(mark, Need) and mark.resolved_by):  # that has the time of its question
            self._clock, self._is_clock_certain = mark.created_at, True

    def _check_end(self, reached: bool, expected_head: str | None) -> None:
        if next(self._marks, None) is not None:
            raise Broken(f"marks above {self._last} have no audit entry")
        head = self._reader.head()
        if (head.sequence, head.entry, head.digest) != (self._last, self._entries, self._digest):
            raise Broken(f"the store's head is not that of entry {self._entries}")
        if not reached:
            raise Broken(
                f"the chain ends too early: head {expected_head} is not among its "
                f"{self._entries} entries"
            )
        self._check_states()
        self._check_blobs()

    def _check_states(self) -> None:
        if self._replaced != self._ended:
            odd = self._replaced.items() ^ self._ended.items()
            raise Broken(f"{len(odd)} marks say wrongly whether they were superseded")
        odd_ones = len(self._archived ^ self._to_archive)
        if odd_ones:
            raise Broken(f"{odd_ones} marks say wrongly whether they were archived")
        odd_ones = len(self._superseded ^ (self._to_supersede - self._to_archive))
        if odd_ones:
            raise Broken(f"{odd_ones} marks say wrongly whether they are live")
        odd_ones = len(self._targets.items() ^ self._reader.targets().items())
        if odd_ones:
            raise Broken(f"{odd_ones} marks say wrongly what they weaken")
        for name, body in self._reader.scopes().items():
            if self._scopes.get(name) != sha256(body).hexdigest():
                raise Broken(f"scope {name!r} was changed without an audit entry")


def attest(reader: Reader, mark_id: bytes) -> None:
    """Check one mark against the audit entry that stored it; costs O(log N).

    Raises:
        StoreCorrupt: It is not there, or not what was committed.
    """
    stored = reader.get(mark_id)
    if stored is None:
        raise StoreCorrupt(f"mark {mark_id.hex()} is missing")
    body = _entry_of(reader, stored.sequence)
    if sha256(stored.body).digest() != body.marks[stored.sequence - body.first]:
        raise StoreCorrupt(f"mark {stored.sequence} was changed: its content hash differs")


def _entry_of(reader: Reader, sequence: int) -> EntryBody:
    low, high = 1, reader.head().entry
    while low <= high:
        middle = (low + high) // 2
        body = _entry(reader, middle)
        if body.first <= sequence <= body.last:
            return body
        low, high = (low, middle - 1) if sequence < body.first else (middle + 1, high)
    raise StoreCorrupt(f"no audit entry tells of mark {sequence}")


def _entry(reader: Reader, number: int) -> EntryBody:
    for entry in reader.entries(number - 1, 1):
        return decoded(entry)
    raise StoreCorrupt(f"audit entry {number} is missing")


def all_marks(reader: Reader) -> Iterator[StoredMark]:
    """Return all marks in any state, in order, in pages."""
    after = 0
    while page := reader.scan(after, PAGE):
        yield from page
        after = page[-1].sequence


def all_digests(reader: Reader) -> Iterator[bytes]:
    """Return the hashes of all blobs, in order, in pages."""
    after = b""
    while page := reader.digests(after, PAGE):
        yield from page
        after = page[-1]


def verify(reader: Reader, fetch: Fetch, expected_head: str | None) -> VerifyResult:
    """Check a space, with blobs from `fetch`, against its log."""
    return Verifier(reader, fetch).run(expected_head)
