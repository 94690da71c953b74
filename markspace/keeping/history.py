"""History of a space: its order, its audit log, and what was archived."""

from collections.abc import AsyncGenerator, Iterator
from functools import partial
from logging import getLogger
from uuid import UUID

from markspace.core.agents import WatchPattern
from markspace.core.enums import MarkType
from markspace.core.ids import id_bytes
from markspace.core.marks import AnyMark
from markspace.core.scopes import scope_contains
from markspace.errors import StoreUnavailable, ValidationError
from markspace.keeping.audit import AuditEntry, Decision, add_entry, opened
from markspace.keeping.foundation import Foundation, Who
from markspace.keeping.garbage_collection import dead_marks
from markspace.keeping.readable import PastSpace
from markspace.keeping.verification import VerifyResult, attest, verify

PAGE = 500
WATCHED_PAGE = 200
LOOK_S = 0.25
RETRY_S = 1.0
LOG = getLogger("markspace")


class History(Foundation):
    """Order, history, audit and garbage collection of a space."""

    def head(self) -> int:
        """Return the sequence of the last mark; 0 in an empty space."""
        with self.store.snapshot() as snapshot:
            return snapshot.head().sequence

    def sequence_of(self, mark_id: UUID) -> int | None:
        """Return a mark's place in the order of commits, from 1, or None."""
        with self.store.snapshot() as snapshot:
            stored = snapshot.get(id_bytes(mark_id))
        return None if stored is None else stored.sequence

    def attest(self, mark_id: UUID) -> None:
        """Check that a mark is what was committed, as the audit log says.

        Raises:
            StoreCorrupt: It is not there, or not what was committed.
        """
        with self.store.snapshot() as snapshot:
            attest(snapshot, id_bytes(mark_id))

    def history(
        self,
        scope: str | None = None,
        mark_type: MarkType | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> Iterator[tuple[int, AnyMark]]:
        """Return sequence and mark in order, superseded and archived ones included.

        Args:
            scope: Only this scope and all below it.
            mark_type: Only this type.
            after: Only sequences above this one.
            limit: At most this many.
        """
        left = limit
        while left != 0:
            with self.store.snapshot() as snapshot:
                page = snapshot.scan(after, PAGE)
                marks = [(row.sequence, self.decoder.decode(row.body)) for row in page]
            if not page:
                return
            for sequence, mark in marks:
                is_wanted = scope is None or scope_contains(scope, mark.scope)
                if left != 0 and is_wanted and mark_type in (None, mark.mark_type):
                    left = None if left is None else left - 1
                    yield sequence, mark
            after = page[-1].sequence

    def at(self, sequence: int) -> PastSpace:
        """Return the space as it was right after a mark was written; 0 is before the first.

        Raises:
            ValidationError: It is no whole number.
            ValueError: There is no such sequence yet.
        """
        _check_number("sequence", sequence)
        with self.store.snapshot() as snapshot:
            head, row = snapshot.head().sequence, snapshot.scan(max(sequence - 1, 0), 1)
        if not 0 <= sequence <= head:
            raise ValueError(f"sequence {sequence} is not within 0 and {head}, the last mark")
        time = self.decoder.decode(row[0].body).created_at if sequence else 0.0
        return PastSpace(self, sequence, time)

    async def watch(
        self,
        pattern: WatchPattern | None = None,
        *,
        after: int = 0,
        reader: Who | None = None,
    ) -> AsyncGenerator[AnyMark]:
        """Yield marks in order of writing, from all processes, as they are committed.

        A mark comes at least once; `sequence_of(mark.id)` is the cursor to resume from. Whoever
        leaves the loop early closes the generator: `async with aclosing(space.watch()) as marks`.

        Args:
            pattern: What to yield; None is everything.
            after: Only marks above this sequence.
            reader: Whose eyes to look with; None is infrastructure.
        """
        import anyio.to_thread  # takes longer to import than all of markspace

        limiter = anyio.CapacityLimiter(1)
        while True:
            look = partial(self._next_page, after)
            try:
                page = await anyio.to_thread.run_sync(look, abandon_on_cancel=True, limiter=limiter)
            except StoreUnavailable as error:  # the cursor loses nothing
                LOG.warning("watching goes on when the store is back: %s", error)
                await anyio.sleep(RETRY_S)
                continue
            for sequence, mark in page:
                wanted = pattern is None or pattern.matches(mark)
                shown = self.shown_to(mark, reader) if wanted else None
                if shown is not None:
                    yield shown
                after = sequence

    def _next_page(self, after: int) -> list[tuple[int, AnyMark]]:
        """Return the next marks above `after`, waiting a moment for them; maybe none."""
        if not self.store.wait(after, LOOK_S):
            return []
        with self.store.snapshot() as snapshot:
            page = snapshot.scan(after, WATCHED_PAGE)
            return [(row.sequence, self.decoder.decode(row.body)) for row in page]

    def shown_to(self, mark: AnyMark, reader: Who | None) -> AnyMark | None:
        """Return what `reader` sees of a mark."""
        with self.store.snapshot() as snapshot:
            return self.view(snapshot).shown(mark, self.eyes(reader))

    def audit_head(self) -> str:
        """Return the digest of the last audit entry; it pins everything before it."""
        with self.store.snapshot() as snapshot:
            return snapshot.head().digest.hex()

    def audit(self, after: int = 0) -> Iterator[AuditEntry]:
        """Return the audit entries above number `after`.

        Raises:
            ValidationError: It is no whole number.
        """
        _check_number("after", after)
        while True:
            with self.store.snapshot() as snapshot:
                page = snapshot.entries(after, PAGE)
            if not page:
                return
            yield from map(opened, page)
            after = page[-1].number

    def verify(self, expected_head: str | None = None) -> VerifyResult:
        """Check all marks and entries against the hash chain.

        Args:
            expected_head: A digest that the chain must contain, such as one noted elsewhere.
        """
        with self.store.snapshot() as snapshot:
            return verify(snapshot, self.store.blob, expected_head)

    def gc(self, grace_period: float = 0.0) -> int:
        """Archive marks that no read can return any more; return how many.

        Actions stay. `get_mark`, `history` and `at` still find what was archived.

        Args:
            grace_period: Seconds for which dead intents and decayed marks stay; negative
                raises ValueError.
        """
        if not grace_period >= 0:
            raise ValueError(f"grace_period={grace_period!r} must not be negative")
        with self.store.transaction() as tx:
            dead = dead_marks(tx, self.get_scope, self.now(), grace_period)
            tx.archive(dead)
            if dead:
                add_entry(tx, tx.head(), "archive", archived=dead)
        return len(dead)

    def refuse(self, decision: Decision) -> int:
        """Enter a refusal in the audit log; return the entry's number."""
        with self.store.transaction() as tx:
            return add_entry(tx, tx.head(), "refusal", decisions=[decision]).entry


def _check_number(name: str, value: object) -> None:
    if not isinstance(value, int):
        raise ValidationError(f"{name}={value!r} must be a whole number")
