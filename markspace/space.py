"""The space: typed marks in scopes, read by strength, kept in a store."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from uuid import UUID

from markspace.core.agents import WatchPattern
from markspace.core.marks import AnyMark
from markspace.core.scopes import Scope
from markspace.errors import QuotaExceededError, ScopeError, ValidationError
from markspace.keeping.audit import Decision
from markspace.keeping.drafts import Draft, check_mark, draft, permit
from markspace.keeping.foundation import Who, pairs
from markspace.keeping.history import History
from markspace.keeping.identity import Identity
from markspace.keeping.leases import Lease, check_fence
from markspace.keeping.needs import NeedCluster, resolved
from markspace.keeping.readable import Readable
from markspace.keeping.subscriptions import Subscriptions
from markspace.keeping.writing import Commit, IdFactory
from markspace.stores.base import Store, Transaction

MAX_PERMITS = 4096

__all__ = ["MarkSpace", "NeedCluster", "QuotaExceededError", "ScopeError", "ValidationError"]


class MarkSpace(History, Readable):
    """A shared space of marks. Safe between threads, and between processes by its store.

    Args:
        scopes: Scopes to register.
        clock: A fixed time in seconds; None is the wall clock.
        max_marks_per_agent: Live marks that one agent may have; None is unlimited.
        store: Where marks are kept; None is this process's memory. The caller closes it.
        id_factory: Names each mark, given with its author and time; None gives random ids.
    """

    def __init__(
        self,
        scopes: Iterable[Scope] | None = None,
        clock: float | None = None,
        max_marks_per_agent: int | None = None,
        *,
        store: Store | None = None,
        id_factory: IdFactory | None = None,
    ) -> None:
        super().__init__(store, clock)
        self._quota = max_marks_per_agent
        self._id_factory = id_factory
        self._subscriptions = Subscriptions(self.decoder)
        self.register_scopes(scopes or ())

    # -- writing ----------------------------------------------------------------------------

    def write(self, agent: Who, mark: AnyMark) -> UUID:
        """Store a mark and return its id, after the commit.

        Raises:
            ScopeError: The agent may not write this, or is not who it claims to be.
            ValidationError: It is not a mark, breaks a rule of its scope, or cannot be stored.
            QuotaExceededError: The agent has as many live marks as it may.
            StoreError: The store could not do its part; nothing was written.
        """
        return self.commit([(agent, mark)])[0]

    def write_all(
        self, writes: Iterable[tuple[Who, AnyMark]], *, fence: Lease | None = None
    ) -> list[UUID]:
        """Store all marks together, or none; return their ids.

        Args:
            writes: Pairs of author and mark. A mark may supersede an earlier one of the batch.
            fence: A lease that must still be current when the marks are stored.

        Raises:
            StaleFence: The lease was released or taken over.
            ScopeError, ValidationError, QuotaExceededError, StoreError: As for `write`.
        """
        return self.commit(writes, fence=fence)

    def commit(
        self,
        writes: Iterable[tuple[Who, AnyMark]],
        *,
        fence: Lease | None = None,
        decisions: Sequence[Decision] = (),
    ) -> list[UUID]:
        """Store all marks together with the guard's decisions about them."""
        return self.commit_drafts(
            [self.draft(who, mark) for who, mark in pairs(writes)], fence, decisions
        )

    def commit_drafts(
        self, drafts: Sequence[Draft], fence: Lease | None, decisions: Sequence[Decision]
    ) -> list[UUID]:
        """Store what was checked before."""

        def work(tx: Transaction) -> tuple[Commit, list[UUID]]:
            commit = self._begun(tx, fence)
            ids = [commit.add(item) for item in drafts]
            commit.finish(decisions)
            return commit, ids

        commit, ids = self.store.write(work)
        if self.hooks:
            self.announce(commit.written())
        return ids

    def draft(self, who: Who, mark: AnyMark) -> Draft:
        """Check a mark against everything that needs no look at the store."""
        author = self.enrolment.author(who)
        check_mark(mark)
        return self.draft_as(author, mark)

    def draft_as(self, author: Identity, mark: AnyMark) -> Draft:
        """Check a mark, which it is, of somebody whose identity was established."""
        key, permits = (author, mark.scope, mark.mark_type), self.permits
        granted = permits.get(key)
        if granted is None:
            granted = permit(*key, self.get_scope(mark.scope))
            if len(permits) >= MAX_PERMITS:
                permits.clear()
            permits[key] = granted
        return draft(granted, mark)

    @contextmanager
    def writing(self, decisions: Sequence[Decision] = ()) -> Generator[Commit]:
        """Begin a commit; it is logged at the end with `decisions`, and hooks run after it."""
        with self.store.transaction() as tx:
            commit = self._begun(tx, None)
            yield commit
            commit.finish(decisions)
        if self.hooks:
            self.announce(commit.written())

    def _begun(self, tx: Transaction, fence: Lease | None) -> Commit:
        if fence is not None:
            check_fence(tx, fence)
        head, clock = tx.head(), self.now()
        if clock < head.clock:
            clock = head.clock
        settings = (self.decoder, self._quota, self._id_factory)
        return Commit(tx, head, clock, head.sequence, *settings)

    def resolve(
        self, need_mark_id: UUID, resolving_action_id: UUID, agent: Who | None = None
    ) -> UUID:
        """Answer a need by an action; return the id of the resolved copy.

        Args:
            need_mark_id: The need.
            resolving_action_id: The action that answers it.
            agent: Who resolves, by an own action in the need's scope; None is infrastructure.

        Raises:
            ValidationError: One of them is not what it should be.
            ScopeError: The agent may not resolve it.
        """
        author = None if agent is None else self.enrolment.author(agent)
        with self.writing() as commit:
            need = resolved(commit, author, need_mark_id, resolving_action_id)
        return need.id

    # -- subscriptions ----------------------------------------------------------------------

    def subscribe(self, agent: Who, patterns: Iterable[WatchPattern]) -> None:
        """Replace what an agent hears of from now on; what it has not fetched stays."""
        agent_id = self.enrolment.author(agent).agent.id
        with self.store.snapshot() as snapshot:
            self._subscriptions.subscribe(snapshot, agent_id, patterns)

    def unsubscribe(self, agent: Who) -> None:
        """Forget an agent's patterns and what it has not fetched."""
        self._subscriptions.unsubscribe(self.enrolment.author(agent).agent.id)

    def get_watched_marks(self, agent: Who, clear: bool = True) -> list[AnyMark]:
        """Return the marks that others wrote and the agent waits for, as it may see them.

        Those that were archived since are among them. The latest 10,000 are kept for each agent;
        `lost_marks` counts the others.

        Args:
            agent: Whose subscription.
            clear: Whether they count as delivered; False only looks.
        """
        reader = self.enrolment.author(agent).agent
        with self.store.snapshot() as snapshot:
            ids = self._subscriptions.take(snapshot, reader.id, clear=clear)
            view = self.view(snapshot)
            rows = (snapshot.get(mark_id.bytes) for mark_id in ids)
            marks = (self.decoder.decode(row.body) for row in rows if row)
            shown = (view.shown(mark, reader) for mark in marks)
            return [mark for mark in shown if mark is not None]

    def lost_marks(self, agent: Who) -> int:
        """Return how many marks an agent waited for and never got, because it fetched too late."""
        reader = self.enrolment.author(agent).agent
        with self.store.snapshot() as snapshot:
            return self._subscriptions.lost(snapshot, reader.id)
