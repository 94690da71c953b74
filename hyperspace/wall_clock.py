"""The wall clock, for fields named `*_utc` and `timestamp` only: nothing decides by it."""

from datetime import UTC, datetime


def utc_now() -> str:
    """Now, as ISO 8601 in UTC with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
