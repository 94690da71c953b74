"""Runs in which a recorded agent plays: up to where what it did is still an answer to its peer."""

from collections.abc import Iterable, Sequence

import msgspec

from hyperspace.kernel.state.manifest import Closing
from transfer_experiment.adoption.events import Adoption


class Divergence(msgspec.Struct, frozen=True):
    """The first closing with a call that is not in the record of a recorded agent.

    Attributes:
        agent: The recorded agent.
        generation: In which generation, or `test`.
        calls: How many calls of that closing.
    """

    agent: str
    generation: int | str
    calls: int


def first_divergence(closings: Iterable[Closing], agents: Sequence[str]) -> Divergence | None:
    """Find the earliest divergence in the order of turns; None if there is none."""
    diverged = [
        Divergence(closing.manifest.agent, closing.manifest.generation, closing.diverged)
        for closing in closings
        if closing.diverged
    ]

    def turn(first: Divergence) -> tuple[float, int]:
        at = first.generation
        return float(at) if isinstance(at, int) else float("inf"), agents.index(first.agent)

    return min(diverged, key=turn, default=None)


def with_validity(events: Iterable[Adoption], since: int | str | None) -> tuple[Adoption, ...]:
    """Mark events as not valid from the generation of a divergence on; the final one ends none."""
    if not isinstance(since, int):
        return tuple(events)
    return tuple(msgspec.structs.replace(event, valid=event.generation < since) for event in events)
