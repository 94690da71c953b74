"""Garbage collection: taking marks that no read can return any more out of the live indexes."""

from collections.abc import Callable
from math import log2

from markspace.core.marks import Action, AnyMark, Intent, Need, Observation
from markspace.core.scopes import DecayConfig, Scope
from markspace.core.strength import compute_strength
from markspace.keeping.claim_rows import RUNNING, claim_row, is_marked
from markspace.keeping.codec import Decoder
from markspace.keeping.verification import all_marks
from markspace.stores.base import ARCHIVED, SUPERSEDED, Reader

NEGLIGIBLE = 1e-10


def dead_marks(
    reader: Reader,
    decoder: Decoder,
    scope_of: Callable[[str], Scope],
    now: float,
    grace_period: float,
) -> list[int]:
    """Return the sequences of marks that are dead at `now` and were for `grace_period` seconds."""
    dead: list[int] = []
    for row in all_marks(reader):
        if row.state == SUPERSEDED:
            dead.append(row.sequence)
        elif row.state != ARCHIVED:
            mark = decoder.decode(row.body)
            decay = scope_of(mark.scope).decay
            if is_dead(mark, decay, now, grace_period) and not is_held(reader, mark):
                dead.append(row.sequence)
    return dead


def is_held(reader: Reader, mark: AnyMark) -> bool:
    """Return whether a tool runs under the mark, so that it has to stay whatever its age."""
    return isinstance(mark, Intent) and is_marked(claim_row(reader, mark.id), RUNNING)


def is_dead(mark: AnyMark, decay: DecayConfig, now: float, grace_period: float) -> bool:
    """Return whether a mark was resolved or has decayed, and that for long enough."""
    if isinstance(mark, Action):
        return False
    if isinstance(mark, Need):
        return mark.resolved_by is not None
    age, strength = now - mark.created_at, compute_strength(mark, now, decay)
    if isinstance(mark, Intent):
        return strength == 0 and age >= decay.intent_ttl + grace_period
    is_observation = isinstance(mark, Observation)
    half_life = decay.observation_half_life if is_observation else decay.warning_half_life
    grace_age = grace_period
    if grace_age and mark.initial_strength:  # counted from when it became negligible
        grace_age += half_life * log2(mark.initial_strength / NEGLIGIBLE)
    return strength < NEGLIGIBLE and age >= grace_age
