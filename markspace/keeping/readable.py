"""Reading a state of a space: the present one, or a past one."""

from typing import Protocol
from uuid import UUID

from markspace.core.agents import Agent
from markspace.core.conflict import resolve_in_order
from markspace.core.enums import MarkType
from markspace.core.ids import id_bytes
from markspace.core.marks import AnyMark, Intent, Need
from markspace.core.scopes import Scope, ancestors
from markspace.keeping.codec import Decoder
from markspace.keeping.foundation import Foundation, Who
from markspace.keeping.needs import NeedCluster, clustered
from markspace.keeping.reading import SpaceView, query_for, strongest_first, within_tokens
from markspace.stores.base import Query, Reader, Store


class Readable(Protocol):
    """Everything that can be read of one state of a space."""

    store: Store
    decoder: Decoder

    def get_scope(self, scope_name: str) -> Scope:
        """Return the scope, or the nearest registered one above it."""
        ...

    def scope_names(self) -> list[str]:
        """Return the names of the registered scopes that are known here."""
        ...

    def view(self, reader: Reader) -> SpaceView:
        """Return the state, as a snapshot or transaction of the store shows it."""
        ...

    def eyes(self, reader: Who | None) -> Agent | None:
        """Return whose eyes to look with; None is infrastructure."""
        ...

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
            fetched = view.fetched(query)
        marks = [ranked.mark for ranked in strongest_first(view.rank(fetched, min_strength))]
        if agent is not None:
            shown = [view.shown(mark, agent) for mark in marks]
            marks = [mark for mark in shown if mark is not None]
        return marks if max_tokens is None else list(within_tokens(marks, max_tokens))

    def get_mark(self, mark_id: UUID, reader: Who | None = None) -> AnyMark | None:
        """Return a mark in whatever state, as `reader` may see it, or None."""
        agent = self.eyes(reader)
        with self.store.snapshot() as snapshot:
            stored = snapshot.get(id_bytes(mark_id))
            view = self.view(snapshot)
            if stored is None or not view.reaches(stored):
                return None
            return view.shown(self.decoder.decode(stored.body), agent)

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
            for root in self.root_scopes():
                ranked = view.ranked(Query(root, (MarkType.NEED.value,)), 0.0)
                shown = (view.shown(r.mark, agent) for r in ranked if r.strength > 0)
                needs += [need for need in shown if isinstance(need, Need)]
        return clustered(needs)

    def root_scopes(self) -> list[str]:
        """Return the scopes that lie below no other, so that each mark is below exactly one."""
        names = dict.fromkeys(self.scope_names())
        return [name for name in names if not any(above in names for above in ancestors(name)[1:])]


class PastSpace(Readable):
    """A space as it was, archived marks included. It can be read, not written.

    Strengths are those of that time. Scopes are as they are defined now.

    Args:
        space: The space.
        sequence: The last mark that counts.
        time: The time at which strengths are computed.

    Attributes:
        sequence: The last mark that counts.
    """

    def __init__(self, space: Foundation, sequence: int, time: float) -> None:
        self.store = space.store
        self.decoder = space.decoder
        self.sequence = sequence
        self._space = space
        self._time = time

    def now(self) -> float:
        """Return the time of the last mark that counts."""
        return self._time

    def get_scope(self, scope_name: str) -> Scope:
        """Return the scope, or the nearest registered one above it."""
        return self._space.get_scope(scope_name)

    def scope_names(self) -> list[str]:
        """Return the names of the registered scopes."""
        return self._space.scope_names()

    def view(self, reader: Reader) -> SpaceView:
        """Return the state at that time."""
        return SpaceView(reader, self.decoder, self.get_scope, self._time, self.sequence)

    def eyes(self, reader: Who | None) -> Agent | None:
        """Return whose eyes to look with; None is infrastructure."""
        return self._space.eyes(reader)
