"""Reads of a state: candidates by index, strength, visibility, order, token budget."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple
from uuid import UUID

import msgspec
from msgspec.structs import astuple

from markspace.core.agents import Agent
from markspace.core.enums import MarkType, ScopeVisibility
from markspace.core.marks import Action, AnyMark, Intent, Warning, plain, project_mark
from markspace.core.scopes import DecayConfig, Scope, ancestors
from markspace.core.strength import effective_strength
from markspace.keeping.codec import Decoder, resource_key, topic_key
from markspace.stores.base import Query, Reader, StoredMark

CHARACTERS_PER_TOKEN = 4
UUID_CHARACTERS = len(repr(UUID(int=0)))
TOPIC_TYPES = (MarkType.OBSERVATION, MarkType.WARNING)
RESOURCE_TYPES = (MarkType.INTENT, MarkType.ACTION)
STRENGTH = attrgetter("strength")


class Ranked(msgspec.Struct, frozen=True):
    """A mark with its place and its strength at the time of reading."""

    sequence: int
    strength: float
    mark: AnyMark


class Placed(NamedTuple):
    """A mark with its place in the order of commits."""

    sequence: int
    mark: AnyMark


class Fetched(NamedTuple):
    """Marks and the warnings against them, as they lie in the store."""

    rows: list[StoredMark]
    warnings: list[StoredMark]


@dataclass
class SpaceView:
    """One state of a space at one time: everything that is read is computed from here.

    Args:
        reader: A snapshot of the store, or a transaction.
        decoder: Reads stored marks.
        scope_of: Returns the definition that governs a scope.
        now: The time at which strengths are computed.
        upto: A past sequence to look at; None is the present.
    """

    _reader: Reader
    _decoder: Decoder
    _scope_of: Callable[[str], Scope]
    _now: float
    _upto: int | None = None

    def fetched(self, query: Query) -> Fetched:
        """Return the marks that match and the warnings against them, not yet decoded."""
        rows = self._reader.select(query._replace(upto=self._upto))
        sequences = [row.sequence for row in rows]
        return Fetched(rows, self._reader.warnings(sequences, self._upto))

    def rank(self, fetched: Fetched, min_strength: float) -> list[Ranked]:
        """Return the marks of at least that strength, in order of sequence.

        This is most of the work of a read, and needs no snapshot any more.
        """
        losses = self._losses(fetched.warnings) if fetched.warnings else None
        ranking: list[Ranked] = []
        decode, now, decays = self._decoder.decode, self._now, dict[str, DecayConfig]()
        for row in fetched.rows:
            mark = decode(row.body)
            decay = decays.get(mark.scope)
            if decay is None:
                decay = decays[mark.scope] = self._scope_of(mark.scope).decay
            strength = effective_strength(mark, now, decay)
            if losses is not None:
                strength = max(0.0, strength - losses.get(mark.id, 0.0))
            if strength >= min_strength:
                ranking.append(Ranked(row.sequence, strength, mark))
        return ranking

    def _losses(self, warnings: Iterable[StoredMark]) -> dict[UUID, float]:
        """Return how much strength each mark loses by the warnings against it."""
        losses: dict[UUID, float] = {}
        for row in warnings:
            warning = self._decoder.decode(row.body)
            if isinstance(warning, Warning) and warning.invalidates is not None:
                loss = losses.get(warning.invalidates, 0.0) + self.strength(warning)
                losses[warning.invalidates] = loss
        return losses

    def ranked(self, query: Query, min_strength: float) -> list[Ranked]:
        """Return the marks of at least that strength, in order of sequence."""
        return self.rank(self.fetched(query), min_strength)

    def reaches(self, stored: StoredMark) -> bool:
        """Return whether a mark had been written by then."""
        return self._upto is None or stored.sequence <= self._upto

    def strength(self, mark: AnyMark) -> float:
        """Return a mark's strength by its own scope's decay, without warnings."""
        return effective_strength(mark, self._now, self._scope_of(mark.scope).decay)

    def shown(self, mark: AnyMark, reader: Agent | None) -> AnyMark | None:
        """Return what `reader` sees of a mark: all of it, a projection, or nothing."""
        if reader is None:
            return mark
        visibility = self._scope_of(mark.scope).visibility
        if visibility is ScopeVisibility.OPEN or reader.can_read_content(mark.scope):
            return mark
        return project_mark(mark) if visibility is ScopeVisibility.PROTECTED else None

    def intents(self, scope: str, resource: str) -> list[Intent]:
        """Return the live intents on a resource in order of writing, warnings ignored."""
        query = Query(scope, (MarkType.INTENT.value,), resource_key(resource), self._upto)
        marks = (self._decoder.decode(row.body) for row in self._reader.select(query))
        return [m for m in marks if isinstance(m, Intent) and self.strength(m) > 0]

    def on_resource(self, scope: str, resource: str, mark_type: MarkType) -> list[Placed]:
        """Return the marks on a resource below, at and above a scope, dead ones included."""
        kinds, key = (mark_type.value,), resource_key(resource)
        rows = self._reader.select(Query(scope, kinds, key, self._upto))
        for above in ancestors(scope)[1:]:
            rows += self._reader.select(Query(above, kinds, key, self._upto, exact=True))
        return [Placed(row.sequence, self._decoder.decode(row.body)) for row in sorted(rows)]

    def claim_of(self, fact: Action) -> Intent | None:
        """Return the intent that an action ended; None if no claim led to it."""
        ended = None if fact.supersedes is None else self._reader.get(fact.supersedes.bytes)
        intent = None if ended is None else self._decoder.decode(ended.body)
        return intent if isinstance(intent, Intent) else None


def query_for(
    scope: str, resource: str | None, topic: str | None, mark_type: MarkType | None
) -> Query | None:
    """Return the query for a read's filters; None if no mark can pass them all."""
    types, key = tuple(MarkType), None
    if topic is not None:
        types, key = TOPIC_TYPES, topic_key(topic)
    if resource is not None:
        types = RESOURCE_TYPES if topic is None else ()
        key = resource_key(resource)
    wanted = types if mark_type is None else tuple(t for t in types if t == mark_type)
    if not wanted:
        return None
    return Query(scope, tuple(t.value for t in wanted), key)


def strongest_first(ranking: list[Ranked]) -> list[Ranked]:
    """Sort by strength, strongest first; the earlier mark first among equals."""
    return sorted(ranking, key=STRENGTH, reverse=True)


def within_tokens(marks: Iterable[AnyMark], max_tokens: int) -> Iterator[AnyMark]:
    """Stop before the mark that would pass the budget; skip one that never fits."""
    left = max_tokens
    for mark in marks:
        cost = characters(mark) // CHARACTERS_PER_TOKEN  # about
        if cost > max_tokens:
            continue
        if cost > left:
            return
        left -= cost
        yield mark


def characters(mark: AnyMark) -> int:
    """Return how long `str(mark.model_dump())` is; most of that time would go into ids."""
    written = (
        UUID_CHARACTERS if type(value) is UUID else len(repr(plain(value)))
        for value in astuple(mark)
    )
    return _frame_characters(type(mark)) + sum(written)


@lru_cache(maxsize=64)
def _frame_characters(kind: type[AnyMark]) -> int:
    """How long the dump of a mark is without the values of its fields."""
    names = dict.fromkeys(kind.__struct_fields__, "")
    return len(str({"mark_type": kind.mark_type, **names})) - 2 * len(names)
