"""Sets of fleets as tables for a terminal (plain columns when it is none)."""

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from evolution.launch.sets import MemberOutcome
from hyperspace.printing.progress import score_text
from hyperspace.printing.tables import PLAIN_WIDTH, TEST_ONCE

_TITLES = ("run", "seed", "best val", "test", "adoptions", "violations")


def print_fleets(outcomes: Sequence[MemberOutcome]) -> None:
    """Print the runs of a set that are finished, and where they are."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH)
    finished = [outcome.result for outcome in outcomes if not outcome.code]
    if not finished:
        return
    table = Table(title=f"best by validation score, in the order of agents; {TEST_ONCE}")
    for title in _TITLES:
        table.add_column(title)
    for fields in finished:
        folder = Path(fields["run"])
        table.add_row(
            folder.parent.name,
            folder.name.removeprefix("seed"),
            " ".join(score_text(agent["best_val"]) for agent in fields["agents"]),
            " ".join(score_text(agent["test"]) for agent in fields["agents"]),
            str(len(fields["adoptions"])),
            str(fields["violations"]),
        )
    console.print(table)
    for fields in finished:
        told = f"{fields['run']} digest {fields['digest']}"
        console.print(told, markup=False, soft_wrap=True)
