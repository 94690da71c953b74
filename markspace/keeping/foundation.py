"""The base of a space: its store, its scopes, its clock, and who may act in it."""

import time
from collections.abc import Callable, Iterable
from functools import lru_cache
from hashlib import sha256
from logging import getLogger
from threading import Lock
from uuid import UUID, uuid4

import msgspec

from markspace.core.agents import Agent
from markspace.core.enums import MarkType
from markspace.core.marks import AnyMark
from markspace.core.scopes import Scope, ancestors, check_scope_name
from markspace.errors import StoreCorrupt, ValidationError
from markspace.keeping.audit import add_entry
from markspace.keeping.codec import Decoder
from markspace.keeping.drafts import Permit
from markspace.keeping.identity import AgentHandle, Enrolment, Identity
from markspace.keeping.leases import Leases
from markspace.keeping.reading import SpaceView
from markspace.stores.base import Reader, Store
from markspace.stores.memory import MemoryStore

Hook = Callable[[UUID, AnyMark], object]
Who = Agent | AgentHandle
LOG = getLogger("markspace")
SCOPE_DECODER = msgspec.msgpack.Decoder(Scope)


class Foundation:
    """Store, scopes, clock, enrolment and hooks of a space.

    Attributes:
        store: Where marks are kept.
        leases: The leases of that store.
        enrolment: Who may act.
        decoder: Reads stored marks.
        hooks: What is called after each commit.
        has_rate_limits: Whether any registered scope limits how many marks are written.
        permits: What authors were seen to be allowed since a scope was defined last.
    """

    def __init__(self, store: Store | None, clock: float | None) -> None:
        self.store: Store = store if store is not None else MemoryStore()
        self.leases = Leases(self.store)
        self.enrolment = Enrolment()
        self.decoder = Decoder(self.store.blob)
        self._clock = clock
        self.hooks: tuple[Hook, ...] = ()
        self._hooks: dict[UUID, Hook] = {}
        self._hooks_lock = Lock()
        self.has_rate_limits = False
        self._scopes: dict[str, Scope] = {}
        self._stored_scopes: dict[str, bytes] = {}
        self.permits: dict[tuple[Identity, str, MarkType], Permit] = {}
        self._load_scopes()

    # -- scopes and time --------------------------------------------------------------------

    def register_scope(self, scope: Scope) -> None:
        """Add a scope, or replace the one of that name. It is kept in the store.

        Raises:
            ValidationError: It is not a scope.
        """
        self.register_scopes((scope,))

    def register_scopes(self, scopes: Iterable[Scope]) -> None:
        """Add scopes, or replace those of their names, all of them in one transaction.

        Raises:
            ValidationError: One is not a scope; then none is added.
        """
        new: dict[str, Scope] = {}
        for scope in scopes:
            if not isinstance(scope, Scope):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise ValidationError(f"{scope!r} is not a scope; pass Scope(name=...)")
            if new.get(scope.name, self._scopes.get(scope.name)) != scope:
                new[scope.name] = scope
        if not new:
            return
        if not self.store.read_only:
            bodies = {name: msgspec.msgpack.encode(scope) for name, scope in new.items()}
            with self.store.transaction() as tx:
                for name, body in bodies.items():
                    if tx.scope(name) != body:
                        tx.put_scope(name, body)
                        subject = f"{name} {sha256(body).hexdigest()}"
                        add_entry(tx, tx.head(), "scope", subject=subject)
        self._use_scopes({**self._scopes, **new})

    def _load_scopes(self) -> None:
        with self.store.snapshot() as reader:
            stored = reader.scopes()
        if stored != self._stored_scopes:
            self._use_scopes({name: opened_scope(name, body) for name, body in stored.items()})
            self._stored_scopes = stored

    def _use_scopes(self, scopes: dict[str, Scope]) -> None:
        self._scopes = scopes
        self.permits = {}  # whoever looks one up meanwhile puts it into the old one
        self.has_rate_limits = any(scope.rate_limit for scope in scopes.values())

    def get_scope(self, scope_name: str) -> Scope:
        """Return the scope, or the nearest registered one above it.

        Raises:
            ValidationError: Neither is registered, or it is not a name.
        """
        check_scope_name(scope_name)
        scope = self._scopes.get(scope_name) or self._find_scope(scope_name)
        if scope is None:
            self._load_scopes()
            scope = self._find_scope(scope_name)
        if scope is None:
            names = ", ".join(sorted(self._scopes)) or "none"
            raise ValidationError(f"scope {scope_name!r} is not registered; registered: {names}")
        return scope

    def defined_scope(self, scope_name: str) -> Scope | None:
        """Return the scope of exactly that name, or None."""
        return self._scopes.get(scope_name)

    def is_registered(self, scope_name: str) -> bool:
        """Return whether the store has a scope of exactly that name, whoever registered it."""
        if scope_name not in self._scopes:
            with self.store.snapshot() as reader:
                if reader.scope(scope_name) is None:
                    return False
            self._load_scopes()
        return True

    def _find_scope(self, scope_name: str) -> Scope | None:
        scopes = self._scopes
        return next((scopes[name] for name in ancestors(scope_name) if name in scopes), None)

    def scopes(self) -> list[Scope]:
        """Return all registered scopes by name."""
        self._load_scopes()
        return [self._scopes[name] for name in sorted(self._scopes)]

    def scope_names(self) -> list[str]:
        """Return the names of the registered scopes that are known here."""
        return list(self._scopes)

    def set_clock(self, t: float) -> None:
        """Fix the time, in seconds. Marks written later are never older than earlier ones."""
        self._clock = t

    def now(self) -> float:
        """Return the fixed time, or the wall clock's."""
        return time.time() if self._clock is None else self._clock

    # -- who --------------------------------------------------------------------------------

    def enroll(self, agent: Agent, *, system: bool = False) -> AgentHandle:
        """Give out the handle through which an agent acts.

        From the first enrolment on, only enrolled agents may act. The handle, or the very agent
        object that was enrolled, is what proves identity; an equal object proves nothing.

        Args:
            agent: Who may act.
            system: Whether it belongs to the infrastructure, which may write strengths above 1
                and supersede marks anywhere, but no claim whose tool runs.
        """
        return self.enrolment.enroll(agent, system=system)

    def add_write_hook(self, hook: Hook) -> UUID:
        """Call `hook(agent_id, mark)` after each commit, in the writer's thread, unlocked."""
        handle = uuid4()
        with self._hooks_lock:
            self._hooks[handle] = hook
            self.hooks = tuple(self._hooks.values())
        return handle

    def remove_write_hook(self, handle: UUID) -> bool:
        """Remove a hook; False if there is none."""
        with self._hooks_lock:
            is_removed = self._hooks.pop(handle, None) is not None
            self.hooks = tuple(self._hooks.values())
        return is_removed

    def announce(self, marks: Iterable[AnyMark]) -> None:
        """Run the hooks for marks that were committed."""
        hooks = self.hooks
        for mark in marks:
            for hook in hooks:
                try:
                    hook(mark.agent_id, mark)
                except Exception:  # a hook is foreign code; it affects neither mark nor writer
                    LOG.debug("a write hook failed", exc_info=True)

    # -- the present ------------------------------------------------------------------------

    def view(self, reader: Reader) -> SpaceView:
        """Return the present state, as a snapshot or transaction of the store shows it."""
        return SpaceView(reader, self.decoder, self.get_scope, self.now())

    def eyes(self, reader: Who | None) -> Agent | None:
        """Return whose eyes to look with; None is infrastructure."""
        return None if reader is None else self.enrolment.author(reader).agent


@lru_cache(maxsize=4096)
def opened_scope(name: str, body: bytes) -> Scope:
    """Return a stored scope; StoreCorrupt if the bytes are none."""
    try:
        return SCOPE_DECODER.decode(body)
    except (ValueError, RecursionError) as error:
        raise StoreCorrupt(f"the stored scope {name!r} cannot be read: {error}") from error


def pairs(writes: Iterable[tuple[Who, AnyMark]]) -> list[tuple[Who, AnyMark]]:
    """Return writes as a list.

    Raises:
        ValidationError: They are no pairs of author and mark.
    """
    try:
        return [(who, mark) for who, mark in writes]
    except (TypeError, ValueError) as error:
        raise ValidationError(
            f"marks are written as pairs of author and mark, such as [(agent, mark)]: {error}"
        ) from error
