"""Garbage collection: taking marks that no read can return any more out of the live indexes."""

from collections.abc import Callable
from math import log2
from uuid import UUID

import msgspec

from markspace.core.enums import MarkType
from markspace.core.scopes import DecayConfig, Scope
from markspace.core.strength import aged
from markspace.errors import StoreCorrupt
from markspace.keeping.claim_rows import RUNNING, claim_row, is_marked
from markspace.keeping.verification import all_marks
from markspace.stores.base import LIVE, SUPERSEDED, Reader

NEGLIGIBLE = 1e-10
NEED, ACTION, INTENT = MarkType.NEED, MarkType.ACTION, MarkType.INTENT


class Age(msgspec.Struct, frozen=True, gc=False):
    """The fields of a stored mark that decide when it dies; `encode` omits defaults."""

    mark_type: MarkType
    id: bytes
    scope: str = ""
    created_at: float = 0.0
    initial_strength: float = 1.0
    resolved_by: bytes | None = None


AGES = msgspec.msgpack.Decoder(Age)


def dead_marks(
    reader: Reader, scope_of: Callable[[str], Scope], now: float, grace_period: float
) -> list[int]:
    """Return the sequences of marks that are dead at `now` and were for `grace_period` seconds.

    Raises:
        StoreCorrupt: A stored mark cannot be read.
    """
    dead: list[int] = []
    decays: dict[str, DecayConfig] = {}
    decode = AGES.decode
    for row in all_marks(reader):
        if row.state == LIVE:
            try:
                mark = decode(row.body)
            except (ValueError, RecursionError) as error:
                raise StoreCorrupt(f"a stored mark cannot be read: {error}") from error
            decay = decays.get(mark.scope)
            if decay is None:
                decay = decays[mark.scope] = scope_of(mark.scope).decay
            if is_dead(mark, decay, now, grace_period) and not is_held(reader, mark):
                dead.append(row.sequence)
        elif row.state == SUPERSEDED:
            dead.append(row.sequence)
    return dead


def is_held(reader: Reader, mark: Age) -> bool:
    """Return whether a tool runs under the mark, so that it has to stay whatever its age."""
    return mark.mark_type is INTENT and is_marked(claim_row(reader, UUID(bytes=mark.id)), RUNNING)


def is_dead(mark: Age, decay: DecayConfig, now: float, grace_period: float) -> bool:
    """Return whether a mark was resolved or has decayed, and that for long enough."""
    kind, age = mark.mark_type, now - mark.created_at
    if kind is ACTION:
        return False
    if kind is NEED:
        return mark.resolved_by is not None
    strength = aged(kind, mark.initial_strength, max(age, 0.0), decay)
    if kind is INTENT:
        return strength == 0 and age >= decay.intent_ttl + grace_period
    is_observation = kind is MarkType.OBSERVATION
    half_life = decay.observation_half_life if is_observation else decay.warning_half_life
    grace_age = grace_period
    if grace_age and mark.initial_strength:  # counted from when it became negligible
        grace_age += half_life * log2(mark.initial_strength / NEGLIGIBLE)
    return strength < NEGLIGIBLE and age >= grace_age
