"""The rule for who may proceed when several intents claim one resource."""

from collections.abc import Sequence
from uuid import UUID

from markspace.core.enums import ConflictPolicy
from markspace.core.marks import Intent


def resolve_conflict(intents: Sequence[Intent], policy: ConflictPolicy) -> UUID | None:
    """Return the id of the winning intent; None if there is none or all must yield.

    A pure function: ties break by time and then by id. The space passes intents in their order
    of writing through `resolve_in_order`, where ties break by that order instead.

    Raises:
        ValueError: The policy is unknown.
    """
    last_id_first = policy == ConflictPolicy.HIGHEST_CONFIDENCE
    by_id = sorted(intents, key=lambda i: str(i.id), reverse=last_id_first)
    return resolve_in_order(sorted(by_id, key=lambda i: i.created_at), policy)


def resolve_in_order(intents: Sequence[Intent], policy: ConflictPolicy) -> UUID | None:
    """Return the winner among intents given in order of writing; earlier wins ties.

    Raises:
        ValueError: The policy is unknown.
    """
    if not intents or policy == ConflictPolicy.YIELD_ALL:
        return None
    if policy == ConflictPolicy.FIRST_WRITER:
        return intents[0].id
    if policy == ConflictPolicy.HIGHEST_CONFIDENCE:
        return max(intents, key=lambda i: i.confidence).id
    raise ValueError(f"conflict policy {policy!r} is unknown")
