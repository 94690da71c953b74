"""Adoptions that a run of ours recorded while it still had the traces that show them.

`--keep-traces` drops traces when a run is finished; its summary.json keeps the events with their
evidence.
"""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from runs.files import read_json
from transfer_experiment.adoption.causal_rule import Adoption


class _Summary(msgspec.Struct, frozen=True):
    adoptions: tuple[Adoption, ...] = ()


def with_recorded(run: Path, events: Iterable[Adoption]) -> list[Adoption]:
    """Put what a run recorded in the place of events that cannot be proven any more."""
    found = list(events)
    if not any(event.verdict == "unproven" for event in found):
        return found
    summary = read_json(run / "summary.json", _Summary) or _Summary()
    recorded = {_place(event): event for event in summary.adoptions}
    return [
        recorded.get(_place(event), event) if event.verdict == "unproven" else event
        for event in found
    ]


def _place(event: Adoption) -> tuple[str, int, str]:
    return event.agent, event.generation, event.strategy
