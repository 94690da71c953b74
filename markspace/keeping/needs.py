"""Needs: questions to the principal, grouped for reading and resolved by an action."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Any
from uuid import UUID

import msgspec

from markspace.core.enums import MarkType
from markspace.core.ids import new_id
from markspace.core.marks import Action, AnyMark, Need
from markspace.errors import ScopeError, ValidationError
from markspace.keeping.codec import Decoder, storable
from markspace.keeping.identity import Identity
from markspace.keeping.writing import Commit, IdFactory
from markspace.stores.base import SUPERSEDED, Transaction

CROWD_FACTOR = 0.1


@dataclass
class NeedCluster:
    """The open needs of one scope.

    Attributes:
        scope: The scope, exactly.
        needs: The needs in order of writing.
        effective_priority: The highest priority, raised by 0.1·ln(n) for n needs, at most 1.
        blocking_count: How many agents wait for an answer.
        contexts: The context of each need.
    """

    scope: str
    needs: list[Need]
    effective_priority: float
    blocking_count: int
    contexts: list[Any]


def clustered(needs: Sequence[Need]) -> list[NeedCluster]:
    """Group needs by scope, most urgent group first."""
    groups: dict[str, list[Need]] = {}
    for need in needs:
        groups.setdefault(need.scope, []).append(need)
    clusters = [cluster(scope, group) for scope, group in groups.items()]
    return sorted(clusters, key=lambda c: -c.effective_priority)


def cluster(scope: str, needs: list[Need]) -> NeedCluster:
    """Return the cluster of the needs of one scope."""
    raised = max(n.priority for n in needs) + CROWD_FACTOR * log(len(needs))
    blocking = sum(need.blocking for need in needs)
    return NeedCluster(scope, needs, min(1.0, raised), blocking, [n.context for n in needs])


class Resolution:
    """Resolving one need by one action inside a commit.

    Args:
        commit: Where the resolved copy is stored.
        decoder: Reads stored marks.
        author: The agent that resolves; None is the infrastructure.
        id_factory: Names the copy; None gives a random id.
    """

    def __init__(
        self,
        commit: Commit,
        decoder: Decoder,
        author: Identity | None,
        id_factory: IdFactory | None,
    ) -> None:
        self._commit = commit
        self._tx: Transaction = commit.tx
        self._decoder = decoder
        self._author = author
        self._id_factory = id_factory

    def run(self, need_id: UUID, action_id: UUID) -> Need:
        """Store a resolved copy in place of the need and return it."""
        stored = self._tx.get(need_id.bytes)
        need = None if stored is None else self._decoder.decode(stored.body)
        if stored is None or not isinstance(need, Need):
            raise ValidationError(f"{need_id} is not a need of this space")
        if stored.state == SUPERSEDED or stored.ended:
            raise ValidationError(f"need {need_id} was resolved or superseded before")
        row = self._tx.get(action_id.bytes)
        if row is None:
            raise ValidationError(f"{action_id} names no mark of this space")
        action = self._decoder.decode(row.body)
        self._check_agent(need, action)
        resolved = msgspec.structs.replace(
            need,
            id=new_id(),
            supersedes=need.id,
            resolved_by=action_id,
            resolved_by_agent=check_action(action).agent_id,
        )
        if self._id_factory is not None:
            resolved = msgspec.structs.replace(resolved, id=self._id_factory(resolved))
        changes, blobs = storable(resolved)
        encodable = msgspec.structs.replace(resolved, **changes)
        self._commit.put(encodable, blobs, stored, is_plain=not changes)
        return resolved

    def _check_agent(self, need: Need, action: AnyMark) -> None:
        """Refuse an agent without the right, or with somebody else's action."""
        if self._author is None:
            return
        agent = self._author.agent
        if not agent.can_write(need.scope, MarkType.ACTION):
            raise ScopeError(f"agent {agent.name!r} has no action right in {need.scope!r}")
        if not isinstance(action, Action) or self._author.system:
            return
        if action.agent_id != agent.id or action.scope != need.scope:
            raise ScopeError(
                f"agent {agent.name!r} can resolve a need of {need.scope!r} only by an "
                "action of its own in that scope"
            )


def check_action(mark: AnyMark) -> Action:
    """Return the mark as an action that did not fail; ValidationError otherwise."""
    if not isinstance(mark, Action):
        raise ValidationError(f"{mark.id} is not an action, but a {mark.mark_type}")
    if mark.failed:
        raise ValidationError(f"action {mark.id} failed; it resolves nothing")
    return mark
