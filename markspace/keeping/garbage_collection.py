"""Garbage collection: taking marks that no read can return any more out of the live indexes."""

from collections.abc import Callable, Iterator
from math import log2

from markspace.core.marks import Action, AnyMark, Intent, Need, Observation
from markspace.core.scopes import Scope
from markspace.core.strength import compute_strength
from markspace.keeping.codec import Decoder
from markspace.stores.base import ARCHIVED, SUPERSEDED, Reader, StoredMark

PAGE = 500
NEGLIGIBLE = 1e-10


class Collector:
    """Finds marks that are dead at `now` and have been for `grace_period` seconds."""

    def __init__(
        self,
        decoder: Decoder,
        scope_of: Callable[[str], Scope],
        now: float,
        grace_period: float,
    ) -> None:
        self._decoder = decoder
        self._scope_of = scope_of
        self._now = now
        self._grace_period = grace_period

    def dead(self, reader: Reader) -> list[int]:
        """Return the sequences of all marks to archive."""
        return [row.sequence for row in kept(reader) if self._is_dead(row)]

    def _is_dead(self, row: StoredMark) -> bool:
        if row.state == SUPERSEDED:
            return True
        mark = self._decoder.decode(row.body)
        if isinstance(mark, Action):
            return False
        if isinstance(mark, Need):
            return mark.resolved_by is not None
        return self._has_decayed(mark)

    def _has_decayed(self, mark: AnyMark) -> bool:
        decay = self._scope_of(mark.scope).decay
        age = self._now - mark.created_at
        strength = compute_strength(mark, self._now, decay)
        if isinstance(mark, Intent):
            return strength == 0 and age >= decay.intent_ttl + self._grace_period
        half_life = (
            decay.observation_half_life
            if isinstance(mark, Observation)
            else decay.warning_half_life
        )
        grace_age = self._grace_period
        if grace_age and mark.initial_strength:  # counted from when it became negligible
            grace_age += half_life * log2(mark.initial_strength / NEGLIGIBLE)
        return strength < NEGLIGIBLE and age >= grace_age


def kept(reader: Reader) -> Iterator[StoredMark]:
    """Return all marks that are not archived, in pages."""
    after = 0
    while page := reader.scan(after, PAGE):
        yield from (row for row in page if row.state != ARCHIVED)
        after = page[-1].sequence
