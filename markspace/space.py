"""The space: typed marks in scopes, read by strength, kept in a store."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from uuid import UUID

from markspace.audit import Decision
from markspace.chronicle import Chronicle
from markspace.core.agents import WatchPattern
from markspace.core.conflict import resolve_in_order
from markspace.core.enums import MarkType
from markspace.core.marks import AnyMark, Intent, Need
from markspace.core.scopes import Scope, scope_contains
from markspace.errors import QuotaExceededError, ScopeError, ValidationError
from markspace.foundation import Who
from markspace.leases import Lease, check_fence
from markspace.needs import NeedCluster, Resolution, clustered
from markspace.reading import query_for, strongest_first, within_tokens
from markspace.stores.base import ARCHIVED, Query, Store
from markspace.subscriptions import Subscriptions
from markspace.writing import Commit, Draft, IdFactory, draft

__all__ = ["MarkSpace", "NeedCluster", "QuotaExceededError", "ScopeError", "ValidationError"]


class MarkSpace(Chronicle):
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
        for scope in scopes or ():
            self.register_scope(scope)

    # -- writing ----------------------------------------------------------------------------

    def write(self, agent: Who, mark: AnyMark) -> UUID:
        """Store a mark and return its id, after the commit.

        Raises:
            ScopeError: The agent may not write this, or is not who it claims to be.
            ValidationError: A rule of the scope is broken, or a field cannot be stored.
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
        decisions: Iterable[Decision] = (),
    ) -> list[UUID]:
        """Store all marks together with the guard's decisions about them."""
        drafts = [self.draft(who, mark) for who, mark in writes]
        with self.writing(decisions, fence) as commit:
            ids = [commit.add(item) for item in drafts]
        return ids

    def draft(self, who: Who, mark: AnyMark) -> Draft:
        """Check a mark against everything that needs no look at the store."""
        return draft(self.enrolment.author(who), mark, self.get_scope(mark.scope))

    @contextmanager
    def writing(
        self, decisions: Iterable[Decision] = (), fence: Lease | None = None
    ) -> Generator[Commit]:
        """Begin a commit; it is logged at the end, and hooks run after it."""
        with self.store.transaction() as tx:
            if fence is not None:
                check_fence(tx, fence)
            commit = Commit(tx, self.now(), self.decoder, self._quota, self._id_factory)
            yield commit
            commit.finish(list(decisions))
        self.announce(commit.stored)

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
            resolution = Resolution(commit, self.decoder, author, self._id_factory)
            need = resolution.run(need_mark_id, resolving_action_id)
        return need.id

    # -- reading ----------------------------------------------------------------------------

    def read(
        self,
        scope: str,
        resource: str | None = None,
        topic: str | None = None,
        mark_type: MarkType | None = None,
        min_strength: float = 0.01,
        reader: Who | None = None,
        max_tokens: int | None = None,
    ) -> list[AnyMark]:
        """Return the marks of a scope and all below it, strongest first.

        Args:
            scope: Where to look.
            resource: Only intents and actions on this resource.
            topic: Only observations and warnings on this topic.
            mark_type: Only this type.
            min_strength: Only marks of at least this strength now; 0 returns dead ones too.
            reader: Whose eyes to look with; None is infrastructure and sees everything.
            max_tokens: Stop before the marks take more than about this many tokens.

        Raises:
            ValidationError: The scope is not registered.
        """
        self.get_scope(scope)
        query = query_for(scope, resource, topic, mark_type)
        if query is None:
            return []
        agent = self.eyes(reader)
        with self.store.snapshot() as snapshot:
            view = self.view(snapshot)
            found = view.ranked(query, min_strength)
        shown = (view.shown(ranked.mark, agent) for ranked in strongest_first(found))
        return list(within_tokens((mark for mark in shown if mark is not None), max_tokens))

    def get_mark(self, mark_id: UUID, reader: Who | None = None) -> AnyMark | None:
        """Return a mark in whatever state, as `reader` may see it, or None."""
        agent = self.eyes(reader)
        with self.store.snapshot() as snapshot:
            stored = snapshot.get(mark_id.bytes)
            mark = None if stored is None else self.decoder.decode(stored.body)
            return None if mark is None else self.view(snapshot).shown(mark, agent)

    def get_intents(self, scope: str, resource: str, reader: Who | None = None) -> list[Intent]:
        """Return the live intents on a resource in a scope and below, in order of writing."""
        agent = self.eyes(reader)
        with self.store.snapshot() as snapshot:
            view = self.view(snapshot)
            intents = view.intents(scope, resource)
            return [i for i in intents if view.shown(i, agent) is not None]

    def check_conflict(self, scope: str, resource: str) -> UUID | None:
        """Return the intent that wins a resource; None if nobody does.

        One intent alone wins under any policy. Ties break by order of writing.
        """
        intents = self.get_intents(scope, resource)
        if len(intents) == 1:
            return intents[0].id
        return resolve_in_order(intents, self.get_scope(scope).conflict_policy)

    def aggregate_needs(self, reader: Who | None = None) -> list[NeedCluster]:
        """Return the open needs grouped by scope, most urgent first."""
        agent = self.eyes(reader)
        needs: list[Need] = []
        with self.store.snapshot() as snapshot:
            view = self.view(snapshot)
            for root in self._roots():
                ranked = view.ranked(Query(root, (MarkType.NEED.value,)), 0.0)
                shown = (view.shown(r.mark, agent) for r in ranked if r.strength > 0)
                needs += [need for need in shown if isinstance(need, Need)]
        return clustered(needs)

    def _roots(self) -> list[str]:
        """Return the scopes that lie below no other, so that each mark is below exactly one."""
        names = list(self._scopes)
        return [n for n in names if not any(o != n and scope_contains(o, n) for o in names)]

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

        Args:
            agent: Whose subscription.
            clear: Whether they count as delivered; False only looks.
        """
        reader = self.enrolment.author(agent).agent
        with self.store.snapshot() as snapshot:
            ids = self._subscriptions.take(snapshot, reader.id, clear=clear)
            view = self.view(snapshot)
            rows = (snapshot.get(mark_id.bytes) for mark_id in ids)
            marks = (self.decoder.decode(row.body) for row in rows if row and row.state != ARCHIVED)
            shown = (view.shown(mark, reader) for mark in marks)
            return [mark for mark in shown if mark is not None]

    def dropped_marks(self, agent: Who) -> int:
        """Return how many marks an agent missed because it fetched too rarely."""
        return self._subscriptions.dropped(self.enrolment.author(agent).agent.id)
