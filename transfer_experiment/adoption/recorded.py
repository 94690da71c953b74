"""Adoptions that a run of ours recorded while it still had the traces that show them.

`--keep-traces` drops traces when a run is finished; its summary.json keeps the events with their
evidence.
"""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from runs.files import read_json
from transfer_experiment.adoption.events import Adoption


class _Summary(msgspec.Struct, frozen=True):
    adoptions: tuple[Adoption, ...] = ()


def recorded_in(run: Path) -> tuple[Adoption, ...]:
    """Return the adoptions in a run's summary.json; none if it cannot be read."""
    return (read_json(run / "summary.json", _Summary) or _Summary()).adoptions


def with_recorded(run: Path, events: Iterable[Adoption]) -> list[Adoption]:
    """Put what a run recorded in the place of events that cannot be proven any more."""
    events = list(events)
    if not any(event.verdict == "unproven" for event in events):
        return events
    recorded = {(e.agent, e.generation, e.strategy): e for e in recorded_in(run)}
    return [
        recorded.get((event.agent, event.generation, event.strategy), event)
        if event.verdict == "unproven"
        else event
        for event in events
    ]
