"""What the runs of each arm were asked for, side by side: what differs, and what is the same."""

from collections.abc import Sequence
from typing import NamedTuple

from replication.report.comparable import configuration_of, label, shown_value
from replication.report.outputs.cells import Table
from replication.report.records import Arm

MOST_LETTERS = 200  # of one value


class Configurations(NamedTuple):
    """Two tables, with a row for each condition and a column for each arm.

    Attributes:
        differing: Conditions that are not the same in all runs.
        same: The others.
    """

    differing: Table
    same: Table


def configurations_of(arms: Sequence[Arm]) -> Configurations:
    """Return what was asked of the runs of some arms; runs that do not say leave a dash."""
    by_arm = [[configuration_of(run) for run in arm.runs] for arm in arms]
    names = dict.fromkeys(name for runs in by_arm for run in runs for name in run)
    headings = ("asked for", *(arm.name for arm in arms))
    differing: list[tuple[str, ...]] = []
    same: list[tuple[str, ...]] = []
    for name in names:
        values = [list(dict.fromkeys(run.get(name) for run in runs)) for runs in by_arm]
        row = (label(name), *(" or ".join(map(_shown, each)) for each in values))
        told = {value for each in values for value in each}
        (same if len(told) == 1 else differing).append(row)
    left = tuple(range(len(headings)))
    return Configurations(
        Table("What the arms were asked for: what differs", headings, differing, left),
        Table("What is the same in all of them", headings, same, left),
    )


def _shown(value: str | None) -> str:
    if value is None:
        return "-"
    text = shown_value(value)
    return text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}..."
