"""Adoptions that a run of ours recorded while it still had the traces that show them.

`--keep-traces` drops traces when a run is finished; its summary.json keeps the events with their
evidence.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hyperspace.kernel.errors import RunDamaged
from hyperspace.kernel.state.config import read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.remote.place import has_space
from hyperspace.runs.files import read_json
from transfer_experiment.adoption.events import Adoption

if TYPE_CHECKING:
    from markspace import MarkSpace


class _Summary(msgspec.Struct, frozen=True):
    adoptions: tuple[Adoption, ...] | None = None


def recorded_in(folder: RunFolder, space: "MarkSpace") -> tuple[Adoption, ...] | None:
    """Return the adoptions in a run's summary.json; None if it is lost.

    Args:
        folder: The run's.
        space: Its open space.

    Raises:
        RunDamaged: They are not those that are on record.
    """
    from hyperspace.export.retention import (
        told_otherwise,  # published runs do without spaces
    )

    if problem := told_otherwise(folder, space):
        raise RunDamaged(
            f"{problem}; restore it from a copy or an export of the run, or remove it: the run "
            "then tells nothing of adoption"
        )
    return _told_in(folder.summary)


def with_recorded(run: Path, events: Iterable[Adoption]) -> list[Adoption]:
    """Put what a run recorded in the place of events that cannot be proven any more."""
    events = list(events)
    if not any(event.verdict == "unproven" for event in events):
        return events
    recorded = {(e.agent, e.generation, e.strategy): e for e in recorded_of(run) or ()}
    return [
        recorded.get((event.agent, event.generation, event.strategy), event)
        if event.verdict == "unproven"
        else event
        for event in events
    ]


def recorded_of(run: Path) -> tuple[Adoption, ...] | None:
    """Return the adoptions that a run's summary.json tells; None if it tells of none.

    Raises:
        RunDamaged: They are not those that are on record.
        StoreError: Its space cannot be read.
    """
    folder = RunFolder(run)
    if not has_space(folder):  # a published run
        return _told_in(folder.summary)
    from hyperspace.kernel.state.opening import reading

    with reading(folder, read_record_of(run).configuration) as marks:
        return recorded_in(folder, marks.space)


def _told_in(summary: Path) -> tuple[Adoption, ...] | None:
    return (read_json(summary, _Summary) or _Summary()).adoptions
