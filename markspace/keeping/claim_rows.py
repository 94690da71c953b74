"""Rows of the store that say which intents the guard allowed, and under which a tool runs."""

from uuid import UUID

from markspace.stores.base import LeaseRow, Reader

CLAIM = "claim:"
GRANTED, RUNNING = "granted", "running"


def claim_row(reader: Reader, intent_id: UUID) -> LeaseRow | None:
    """Return the row of an intent that was allowed, or None."""
    return reader.lease(CLAIM + str(intent_id))


def is_marked(row: LeaseRow | None, state: str) -> bool:
    """Return whether a claim is in that state."""
    return row is not None and f'"state": "{state}"' in row.info
