"""Results of solo runs as tables for a terminal (plain columns when it is none)."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from evolution.launch.sets import MemberOutcome
from evolution.state.config import read_record_of
from evolution.state.options.solo import Optimise
from hyperspace.printing.progress import score_text
from hyperspace.printing.tables import PLAIN_WIDTH, TEST_EXPOSED, TEST_ONCE
from replication.result import SoloResult, fields_of

_TITLES = ("arm", "seed", "generations", "best", "initial val", "best val", "imp@k", "test")


def print_solo(result: SoloResult) -> None:
    """Print one run and where everything is."""
    console = _console()
    console.print(_table([fields_of(result)]))
    console.print(f"violations: {result.violations} (hyperspace audit {result.run})", markup=False)
    if result.test_exposed:
        console.print("the test split was looked at before the last generation", markup=False)
    if result.was_finished:
        console.print("this run was finished before: no work was done", markup=False)
    console.print(f"digest {result.digest}", markup=False)
    console.print(f"results in {result.run}", markup=False)


def print_set(outcomes: Sequence[MemberOutcome]) -> None:
    """Print the runs of a set that are finished, and where they are."""
    console = _console()
    finished = [outcome.result for outcome in outcomes if not outcome.code]
    if not finished:
        return
    console.print(_table(finished))
    for fields in finished:
        told = f"{fields['run']} digest {fields['digest']}"
        console.print(told, markup=False, soft_wrap=True)


def _table(runs: Iterable[dict[str, Any]]) -> Table:
    runs = list(runs)
    solos = (read_record_of(Path(fields["run"])).configuration.solo for fields in runs)
    ranked = dict.fromkeys(_RANKED["agent" if solo is None else solo.optimise] for solo in solos)
    looks = TEST_EXPOSED if any(fields["test_exposed"] for fields in runs) else TEST_ONCE
    table = Table(title=f"best by {' or '.join(ranked)}; {looks}")
    for title in _TITLES:
        table.add_column(title)
    for fields in runs:
        best = fields["best_gen"]
        table.add_row(
            fields["arm"],
            str(fields["seed"]),
            str(fields["max_generations"]),
            "-" if best is None else str(best),
            *(score_text(fields[name]) for name in _SCORES),
        )
    return table


_RANKED: Final[dict[Optimise, str]] = {
    "agent": "validation score",
    "ensemble": "its ensemble's validation score",
    "both": "the mean of its own and its ensemble's validation score",
}
_SCORES = ("initial_val_score", "best_val_score", "imp_at_k", "test_accuracy")


def _console() -> Console:
    return Console(highlight=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH)
