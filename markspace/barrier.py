"""Barriers: what an agent may not do for now, until the principal restores it."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hmac import compare_digest
from threading import RLock
from uuid import UUID, uuid4

from markspace.core.scopes import ancestors, scope_contains

EVERYWHERE = "*"
Revoked = tuple[str, str]


def revokes(revoked: frozenset[Revoked] | set[Revoked], scope: str, mark_type: str) -> bool:
    """Return whether a type is revoked for a scope, one above it, or everywhere."""
    return any((name, str(mark_type)) in revoked for name in (EVERYWHERE, *ancestors(scope)))


@dataclass(frozen=True)
class BarrierSnapshot:
    """A barrier as it was at one moment.

    Attributes:
        agent_id: Whose.
        flag_count: How often it was flagged.
        flagged_scopes: Where.
        revoked: Pairs of scope and mark type that it may not write.
        require_need_scopes: Where it must have an open need first.
    """

    agent_id: UUID
    flag_count: int
    flagged_scopes: frozenset[str]
    revoked: frozenset[Revoked]
    require_need_scopes: frozenset[str]

    def is_allowed_checked(self, scope: str, mark_type_value: str) -> bool:
        """Return whether the type may be written; scopes above and everywhere count."""
        return not revokes(self.revoked, scope, mark_type_value)


@dataclass
class AgentBarrier:
    """A live barrier. Safe under concurrent change. Types are plain strings.

    Attributes:
        agent_id: Whose.
        flagged_scopes: Where it was flagged.
    """

    agent_id: UUID
    _principal_token: UUID = field(default_factory=uuid4, repr=False)
    _revoked: set[Revoked] = field(default_factory=set[Revoked])
    _require_need_scopes: set[str] = field(default_factory=set[str])
    _flag_count: int = 0
    flagged_scopes: set[str] = field(default_factory=set[str])
    _lock: RLock = field(default_factory=RLock, repr=False, compare=False)

    @contextmanager
    def changing(self) -> Generator[None]:
        """Make several changes that others see together."""
        with self._lock:
            yield

    def is_allowed(self, scope: str, mark_type_value: str) -> bool:
        """Return whether the type may be written; scopes above and everywhere count."""
        with self._lock:
            return not revokes(self._revoked, scope, mark_type_value)

    def is_allowed_checked(self, scope: str, mark_type_value: str) -> bool:
        """Return the same as `is_allowed`, under its other published name."""
        return self.is_allowed(scope, mark_type_value)

    def narrow(self, scope: str, mark_type_value: str) -> None:
        """Revoke a type in a scope and below."""
        with self._lock:
            self._revoked.add((scope, str(mark_type_value)))

    def narrow_all(self, mark_type_value: str) -> None:
        """Revoke a type everywhere."""
        self.narrow(EVERYWHERE, mark_type_value)

    def require_need(self, scope: str) -> None:
        """Demand an open need before anything else in a scope and below."""
        with self._lock:
            self._require_need_scopes.add(scope)

    def require_need_all(self) -> None:
        """Demand an open need before anything else anywhere."""
        self.require_need(EVERYWHERE)

    def needs_required(self, scope: str) -> bool:
        """Return whether an open need is demanded for a scope."""
        with self._lock:
            names = (EVERYWHERE, *ancestors(scope))
            return any(name in self._require_need_scopes for name in names)

    def increment_flags(self) -> int:
        """Count one more flag and return how many there are."""
        with self._lock:
            self._flag_count += 1
            return self._flag_count

    @property
    def flag_count(self) -> int:
        """Number of flags of the agent since the last full restore."""
        return self._flag_count

    def restore(self, scope: str, mark_type_value: str, principal_token: UUID) -> bool:
        """Give a type back in a scope and below; False on a wrong token.

        What was revoked above or everywhere stays so; "*" gives back what `narrow_all` took.
        """
        if not self._is_principal(principal_token):
            return False
        with self._lock:
            self._revoked -= {
                (name, kind)
                for name, kind in self._revoked
                if kind == str(mark_type_value) and scope_contains(scope, name)
            }
        return True

    def restore_all(self, principal_token: UUID) -> bool:
        """Give everything back and forget the flags; False on a wrong token."""
        if not self._is_principal(principal_token):
            return False
        with self._lock:
            self._revoked.clear()
            self._require_need_scopes.clear()
            self.flagged_scopes.clear()
            self._flag_count = 0
        return True

    def _is_principal(self, token: object) -> bool:
        return isinstance(token, UUID) and compare_digest(token.bytes, self._principal_token.bytes)

    def snapshot(self) -> BarrierSnapshot:
        """Return what holds now."""
        with self._lock:
            return BarrierSnapshot(
                self.agent_id,
                self._flag_count,
                frozenset(self.flagged_scopes),
                frozenset(self._revoked),
                frozenset(self._require_need_scopes),
            )
