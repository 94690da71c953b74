"""Errors of a space, as one tree.

::

    ScopeError                 not authorised: rights, enrolment, trust level
    ├── ContentPolicyError     a content policy refused
    ├── GuardRefusal           a barrier, the envelope, a budget or a rate limit refused
    └── ClaimError             no live claim allows this action, or it is another's to take back
    ValidationError            a rule of a scope is broken, a scope or mark is unknown
    └── PayloadError           a field cannot be stored: not JSON-able, or too large
    QuotaExceededError         the agent has as many live marks as it may
    LeaseError                 a lease could not be had or kept
    ├── LeaseHeld              somebody else holds it and lives
    └── StaleFence             the lease was taken over; the write was refused
    StoreError                 the store could not do its part; the space stays usable
    ├── StoreLocked            another writer holds it for longer than the timeout
    ├── StoreFull              no room on the disk
    ├── StoreCorrupt           truncated, damaged, or not a space at all
    ├── StoreVersion           written by a newer version
    ├── StoreReadOnly          opened read-only, or in a place that cannot be written
    ├── StoreMissing           nothing there to open
    ├── PlaceError             the address is malformed, or holds a password
    └── StoreUnavailable       the server does not answer
"""

from typing import Any


class ScopeError(Exception):
    """The writer is not authorised."""


class ContentPolicyError(ScopeError):
    """A content policy refused the mark."""


class GuardRefusal(ScopeError):
    """A stage of the guard refused.

    Attributes:
        stage: `barrier`, `budget`, `envelope` or `rate_limit`.
    """

    def __init__(self, stage: str, reason: str) -> None:
        super().__init__(reason)
        self.stage = stage


class ClaimError(ScopeError):
    """No live claim of that agent allows this action, or it would take back what is another's."""


class ValidationError(Exception):
    """A rule of the scope is broken, or what is named does not exist."""


class PayloadError(ValidationError):
    """A field holds what cannot be stored. The message names the field and the fix."""


class QuotaExceededError(Exception):
    """The agent has as many live marks as it may have."""


class LeaseError(Exception):
    """A lease could not be had or kept."""


class LeaseHeld(LeaseError):
    """Somebody else holds the lease.

    Attributes:
        name: Name of the lease.
        holder: Who holds it.
        info: What the holder said about itself, with `pid` and `host`.
        age_s: Seconds since its last heartbeat.
    """

    def __init__(self, name: str, holder: str, info: dict[str, Any], age_s: float) -> None:
        where = f"pid {info.get('pid', '?')} on {info.get('host', '?')}"
        super().__init__(
            f"lease {name!r} is held by {holder!r} ({where}, last heartbeat {age_s:.1f} s ago); "
            "wait for it to end, or stop it"
        )
        self.name = name
        self.holder = holder
        self.info = info
        self.age_s = age_s


class StaleFence(LeaseError):
    """The lease was released or taken over since; nothing was written."""

    def __init__(self, name: str, token: int, current: int | None) -> None:
        now = "nobody" if current is None else f"token {current}"
        super().__init__(
            f"lease {name!r}: token {token} is no longer current (held by {now}); "
            "nothing was written, acquire the lease again"
        )
        self.name = name
        self.token = token
        self.current = current


class StoreError(Exception):
    """The store could not do its part."""


class StoreLocked(StoreError):
    """Another writer holds the store for longer than the timeout."""


class StoreFull(StoreError):
    """There is no room on the disk."""


class StoreCorrupt(StoreError):
    """The store is truncated, damaged, or not a space at all."""


class StoreVersion(StoreError):
    """The store was written by a newer version."""


class StoreReadOnly(StoreError):
    """The store was opened read-only, or lies where nothing can be written."""


class StoreMissing(StoreError):
    """There is nothing to open."""


class PlaceError(StoreError):
    """An address of a store is malformed or too long, holds a password, or names no space."""


class StoreUnavailable(StoreError):
    """The server does not answer."""
