"""`hyperspace watch`: follow a run that another process plays, or has played."""

import argparse
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from hyperspace.cli.watching.interrupts import Interrupts
from hyperspace.options.values import whole_number
from hyperspace.reporting.command_line import add_run

if TYPE_CHECKING:
    from hyperspace.cli.watching.views import FollowsRun, ShownBoard, View

SUMMARY = "follow a run in another process: scores, marks, adoptions, violations, budget"
BEGUN_S = 0.5  # between looks for a run that has not begun


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_run(parser)
    parser.add_argument("--once", action="store_true", help="print the present state and exit")
    parser.add_argument(
        "--json",
        action="store_true",
        help="one JSON object a line: the present state, then every event",
    )
    parser.add_argument(
        "--after",
        type=whole_number,
        metavar="SEQUENCE",
        help="tell also what happened after this mark (0: from the start); without it, what "
        "happens from now on",
    )
    parser.add_argument(
        "--wait",
        action="store_true",
        help="wait for the run to begin if it is not there yet; with --once, show it then",
    )


def run(args: argparse.Namespace) -> int:
    """Watch until the run is finished, or Ctrl-C or SIGTERM comes; both are fine ways to end."""
    interrupted = Interrupts(signal.SIGINT, signal.SIGTERM)
    from hyperspace.audit.ledger import ledger_damage_in
    from hyperspace.cli.watching.views import view
    from hyperspace.runs.following.follower import Follower, require_run
    from hyperspace.runs.following.live_state import Board
    from hyperspace.runs.following.research_follower import ResearchFollower
    from hyperspace.runs.following.research_live_state import ResearchBoard
    from hyperspace.runs.research.kind import is_research
    from transfer_experiment.live_adoptions import AdoptionEvents

    if args.wait:
        _wait_for(args.run, interrupted, until_begun=args.once)
    elif not is_research(args.run):
        require_run(args.run)
    with view(as_json=args.json, once=args.once) as shown:
        if not is_research(args.run):
            _watch(Follower(args.run, AdoptionEvents), Board(), shown, args, interrupted)
        if is_research(args.run):  # it may have been waited for
            _watch(ResearchFollower(args.run), ResearchBoard(), shown, args, interrupted)
    if damage := ledger_damage_in(args.run):
        print(damage, file=sys.stderr)
    return 0


def _wait_for(run: Path, interrupted: Interrupts, *, until_begun: bool) -> None:
    """Say what is waited for where no run has begun.

    Raises:
        RunUsageError: None can begin there.
    """
    from hyperspace.kernel.errors import RunUsageError
    from hyperspace.kernel.state.folder import RunFolder
    from hyperspace.kernel.state.run_not_found import never_a_run
    from hyperspace.runs.research.kind import is_research

    if RunFolder(run).record.exists() or is_research(run):
        return
    if told := never_a_run(run):
        raise RunUsageError(f"{told}; nothing that can be waited for will begin there")
    print(f"waiting for a run to begin in {run}; Ctrl-C ends the wait", file=sys.stderr)
    while until_begun and not interrupted.wait(BEGUN_S):
        if RunFolder(run).record.exists() or is_research(run):
            return


def _watch(
    follower: "FollowsRun",
    board: "ShownBoard",
    shown: "View",
    args: argparse.Namespace,
    interrupted: Interrupts,
) -> None:
    """Show how a run stands and what happens, until it is over or turns out to be research."""
    from hyperspace.runs.following.changes import RunChanges
    from hyperspace.runs.research.kind import is_research

    _catch_up(follower, board, shown, args.after, interrupted)
    shown.present(board)
    if args.once:
        return
    with RunChanges(args.run, interrupted.wake) as changes:
        wait_s = 0.0  # something may have changed before the watch began
        while not (board.state == "finished" or interrupted.wait(wait_s)):
            if board.state == "waiting" and is_research(args.run):
                return
            began_s = time.monotonic()
            look = follower.look()
            for event in look.events:
                board.take(event)
                shown.happened(event, board)
            changes.rest(time.monotonic() - began_s)
            wait_s = 0.0 if look.is_behind else changes.patience_s()


def _catch_up(
    follower: "FollowsRun",
    board: "ShownBoard",
    shown: "View",
    after: int | None,
    interrupted: Interrupts,
) -> None:
    """Learn what happened before the watch began; show what is asked for of it."""
    is_behind = True
    while is_behind and not interrupted.is_set():
        look = follower.look()
        for event in look.events:
            board.take(event)
            if after is not None and getattr(event, "sequence", 0) > after:
                shown.happened(event, board)
        is_behind = look.is_behind
