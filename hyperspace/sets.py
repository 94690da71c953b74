"""Sets of runs on the command line: one progress view for all, and a list of what is unfinished."""

import sys
from collections.abc import Sequence

import msgspec

from evolution.events import Event, Notice
from evolution.launch.sets import Outcome, Planned, cores, run_set
from hyperspace.listing import printable
from hyperspace.progress import progress


class Shown(msgspec.Struct, frozen=True):
    """A run of a set, as it is planned and shown.

    Attributes:
        label: Names it among the others.
        model: What its row says of its model.
        arguments: The command line that plays it alone, without the program.
    """

    label: str
    model: str
    arguments: tuple[str, ...]


def play_shown(runs: Sequence[Shown], generations: int, parallel: int | None) -> list[Outcome]:
    """Play a set with one view of all.

    Args:
        runs: Each with one agent.
        generations: Number of the last generation.
        parallel: How many at the same time; None for as many as there are cores.
    """
    program = (sys.executable, "-m", "hyperspace")
    planned = [Planned(run.label, (*program, *run.arguments, "--events")) for run in runs]
    rows = [(run.label, run.model) for run in runs]
    with progress(rows, generations) as observer:

        def tell(label: str, event: Event) -> None:
            told = (
                Notice(f"{label}: {event.text}")
                if isinstance(event, Notice)
                else msgspec.structs.replace(event, agent=label)
            )
            observer(told)

        return run_set(planned, parallel or min(cores(), len(planned)), tell)


def complain(outcomes: Sequence[Outcome]) -> int:
    """Say which runs are not finished, and why; return the exit code."""
    failed = [outcome for outcome in outcomes if outcome.code]
    for outcome in failed:
        reason = outcome.complaint.removeprefix("hyperspace: ") or f"exit code {outcome.code}"
        print(f"{outcome.label}: {printable(reason, 500)}", file=sys.stderr)
    if failed:
        count = f"{len(failed)} of {len(outcomes)} runs are not finished"
        print(f"hyperspace: {count}; the same command goes on with them", file=sys.stderr)
    return 1 if failed else 0
