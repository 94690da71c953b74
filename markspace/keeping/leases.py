"""Leases: one holder at a time, with a heartbeat and a token that fences off the past."""

import json
import os
import socket
import time
from collections.abc import Callable, Mapping
from typing import Any, cast

import msgspec

from markspace.errors import LeaseHeld, StaleFence
from markspace.stores.base import Clocked, LeaseRow, Reader, Store

Info = Mapping[str, Any]
IsDead = Callable[[dict[str, Any]], bool]


class Lease(msgspec.Struct, frozen=True):
    """A lease that somebody acquired.

    Attributes:
        name: What is leased.
        token: Larger than that of every earlier holder.
        holder: Who acquired it.
        ttl_s: Seconds without heartbeat after which others may take it over.
        info: What the holder says about itself; `pid` and `host` are filled in.
    """

    name: str
    token: int
    holder: str
    ttl_s: float
    info: dict[str, Any]


class Leases:
    """The leases of one store. Heartbeats are in wall time: the server's, where there is one.

    Args:
        store: The store.
        wall: Another clock.
    """

    def __init__(self, store: Store, wall: Callable[[], float] | None = None) -> None:
        self._store = store
        self._wall = wall

    def acquire(
        self,
        name: str,
        holder: str,
        ttl_s: float,
        info: Info | None = None,
        *,
        dead: IsDead | None = None,
    ) -> Lease:
        """Take a lease that is free, expired, or whose holder `dead` knows to be gone.

        Args:
            name: What to lease.
            holder: Who asks.
            ttl_s: Seconds without heartbeat after which others may take it over.
            info: JSON-able facts about the holder.
            dead: Judges the present holder by its info, such as same host and pid gone.

        Raises:
            LeaseHeld: Somebody else holds it and lives.
        """
        said = {"pid": os.getpid(), "host": socket.gethostname(), **(info or {})}
        with self._store.transaction() as tx:
            row = tx.lease(name)
            if row is not None and row.holder:
                facts, age_s = facts_of(row), self._age_s(row, tx)
                if age_s <= row.ttl_s and not (dead is not None and dead(facts)):
                    raise LeaseHeld(row.name, row.holder, facts, age_s)
            token = 1 if row is None else row.token + 1
            tx.put_lease(LeaseRow(name, token, holder, json.dumps(said), ttl_s, self._now(tx)))
        return Lease(name, token, holder, ttl_s, said)

    def _age_s(self, row: LeaseRow, reader: Reader) -> float:
        return max(0.0, self._now(reader) - row.heartbeat)

    def _now(self, reader: Reader) -> float:
        if self._wall is not None:
            return self._wall()
        return reader.wall_time() if isinstance(reader, Clocked) else time.time()

    def renew(self, lease: Lease) -> None:
        """Give a sign of life.

        Raises:
            StaleFence: It was released or taken over since.
        """
        with self._store.transaction() as tx:
            row = check_fence(tx, lease)
            tx.put_lease(row._replace(heartbeat=self._now(tx)))

    def confirm(self, lease: Lease) -> None:
        """Check that a lease holds, and will for half its time; a sign of life if it needs one.

        Raises:
            StaleFence: It was released or taken over since.
        """
        with self._store.snapshot() as reader:
            is_fresh = self._age_s(check_fence(reader, lease), reader) <= lease.ttl_s / 2
        if not is_fresh:
            self.renew(lease)

    def release(self, lease: Lease) -> bool:
        """Give the lease back; False if it was not held any more."""
        with self._store.transaction() as tx:
            row = tx.lease(lease.name)
            if row is None or row.token != lease.token or not row.holder:
                return False
            tx.put_lease(row._replace(holder="", info="{}"))
            return True

    def holder(self, name: str) -> LeaseHeld | None:
        """Return who holds a lease, as the error that `acquire` would raise; None if free."""
        with self._store.snapshot() as reader:
            row = reader.lease(name)
            if row is None or not row.holder:
                return None
            age_s = self._age_s(row, reader)
        return None if age_s > row.ttl_s else LeaseHeld(row.name, row.holder, facts_of(row), age_s)


def facts_of(row: LeaseRow) -> dict[str, Any]:
    """Return what a holder said of itself; nothing where that cannot be read."""
    try:
        facts = json.loads(row.info)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", facts) if isinstance(facts, dict) else {}


def check_fence(reader: Reader, lease: Lease) -> LeaseRow:
    """Return the row of a lease that is still current.

    Raises:
        StaleFence: It was released or taken over since.
    """
    row = reader.lease(lease.name)
    if row is None or not row.holder or row.token != lease.token:
        current = row.token if row is not None and row.holder else None
        raise StaleFence(lease.name, lease.token, current)
    return row
