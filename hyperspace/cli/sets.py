"""Sets of runs on the command line: one progress view for all, and a list of what is unfinished."""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from rich.table import Table

from hyperspace.cli.failures import USAGE
from hyperspace.cli.printing.dashboard_link import tell_page
from hyperspace.cli.printing.endings import tell_set
from hyperspace.cli.printing.progress import progress
from hyperspace.cli.printing.streaming import print_json
from hyperspace.cli.printing.tables import Results, print_set
from hyperspace.cli.sweep_jobs import Shown, begun_here, travels, units_elsewhere, units_here
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.events import Event, Notice
from hyperspace.kernel.state.lease import IN_PLAY
from hyperspace.launch.sets import MemberOutcome, run_set
from hyperspace.options.values import MOST_RUNS
from hyperspace.runs.spaces.listing import printable


def play_set(
    runs: Sequence[Shown], table: Callable[[Results], Table], args: argparse.Namespace
) -> int:
    """Play a set with one view of all, print what it came to, and return the exit code.

    Args:
        runs: The runs.
        table: Makes a table of the results of those that are finished.
        args: Of the command line: how many play at the same time, and whether JSON is printed.
    """
    outcomes = play_members(runs, args.parallel)
    finished = [outcome.result for outcome in outcomes if not outcome.code]
    in_play = [outcome for outcome in outcomes if _is_in_play(outcome)]
    ours = [outcome for outcome in outcomes if outcome not in in_play]
    if args.json:
        failed = [
            {"run": outcome.label, "code": outcome.code, "reason": outcome.complaint}
            for outcome in ours
            if outcome.code
        ]
        left = [outcome.label for outcome in in_play]
        print_json({"runs": finished, "failed": failed, "in_play": left})
    else:
        print_set(finished, table)
    tell_page([Path(result["run"]) for result in finished])
    if in_play:
        told = "left to the start that plays them; the same command tells what they came to"
        print(f"hyperspace: {len(in_play)} of {len(outcomes)} runs are {told}", file=sys.stderr)
    return complain(ours) or tell_set(finished)


def _is_in_play(outcome: MemberOutcome) -> bool:
    """Return whether another start plays a run just now, which is no failure of it."""
    return bool(outcome.code) and IN_PLAY in outcome.complaint


def play_members(runs: Sequence[Shown], parallel: int | None) -> list[MemberOutcome]:
    """Play a set with one view of all, and return what became of each run.

    Args:
        runs: The runs.
        parallel: How many at the same time; None for as many as there are processors.
    """
    there = [run for run in runs if not begun_here(run)] if travels(runs) else []
    here = [run for run in runs if run not in there]
    by_label = {run.label: run for run in runs}
    seats = [(run.row(agent), model, last) for run in runs for agent, model, last in run.agents]
    with progress(seats) as observer:

        def tell(label: str, event: Event) -> None:
            told = (
                Notice(f"{label}: {event.text}")
                if isinstance(event, Notice)
                else msgspec.structs.replace(event, agent=by_label[label].row(event.agent))
            )
            observer(told)

        outcomes = list[MemberOutcome]()
        # What was begun here goes on here.
        for units, some in ((units_here, here), (units_elsewhere, there)):
            if some:
                outcomes += run_set(*units(some, parallel), tell)
    return outcomes


def check_size(count: int) -> None:
    """Refuse a set that is too large to plan.

    Raises:
        RunUsageError: It has more runs than a set may have.
    """
    if count > MOST_RUNS:
        raise RunUsageError(
            f"that is a set of {count:,} runs, and one has at most {MOST_RUNS:,}; name fewer "
            "seeds, or fewer arms and controls"
        )


def complain(outcomes: Sequence[MemberOutcome]) -> int:
    """Print which runs are not finished, and why; return the exit code.

    That is 2 where no run could start because of what was asked for: the same command would not
    go on then.
    """
    failed = [outcome for outcome in outcomes if outcome.code]
    for outcome in failed:
        reason = outcome.complaint.removeprefix("hyperspace: ") or f"exit code {outcome.code}"
        print(f"{outcome.label}: {printable(reason, 500)}", file=sys.stderr)
    unusable = sum(outcome.code == USAGE for outcome in failed)
    if unusable:
        told = "cannot be played as they are; put right what is said of each"
        print(f"hyperspace: {unusable} of {len(outcomes)} runs {told}", file=sys.stderr)
    if unfinished := len(failed) - unusable:
        told = "are not finished; the same command goes on with those that are not damaged"
        print(f"hyperspace: {unfinished} of {len(outcomes)} runs {told}", file=sys.stderr)
    if not failed:
        return 0
    return USAGE if unusable == len(outcomes) else 1
