"""`hyperspace solo`: one agent that improves itself; arms, their controls, and sets of seeds."""

import argparse
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from hyperspace.cli.arguments.declared import add_launch
from hyperspace.cli.arguments.launching import Launching
from hyperspace.options.solo import Annealing
from replication.options import SoloOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hyperspace.cli.solo_plan import PlannedSolo

SUMMARY = "run one agent that improves its own code: an arm of the solo loop, and its controls"
OWN_HELP = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_launch(parser, "solo", (SoloOptions, Annealing, Launching))


def run(args: argparse.Namespace) -> int:
    """Launch, or go on with, the runs that the options name."""
    from hyperspace.cli.launching import detach, launch, look_ahead
    from hyperspace.cli.solo_plan import plan

    planned = plan(args)
    if args.dry_run:
        return look_ahead({run.label: run.options for run in planned}, as_json=args.json)
    if args.detach:
        return detach(args, [run.options for run in planned])
    if len(planned) == 1:
        return launch(planned[0].options, as_json=args.json, events=args.events, of_set=args.of_set)
    return launch_set(planned, args)


def launch_set(planned: "Sequence[PlannedSolo]", args: argparse.Namespace) -> int:
    """Play several runs with one view of all, and print what they came to."""
    from hyperspace.cli.printing.forecasts import print_forecast_table
    from hyperspace.cli.printing.tables import solo_table
    from hyperspace.cli.sets import play_set
    from hyperspace.kernel.errors import RecordUnreadable
    from hyperspace.kernel.events import nobody
    from hyperspace.launch.forecast import Forecast, together
    from hyperspace.launch.run_models import resolve_models
    from replication.solo import dry_run, prepare

    for member in planned:
        # What is wrong with the command is said once, and here; a control may be another arm's.
        if member is planned[0] or member.options.arm is not None:
            with suppress(RecordUnreadable):  # which concerns that run alone
                prepare(member.options, nobody)
    if args.controls and not resolve_models((args.model,), args.eval_model).all_offline:
        forecasts: dict[str, Forecast] = {}
        for member in planned:
            with suppress(RecordUnreadable):
                forecasts[member.label] = dry_run(member.options)
        if forecasts:
            print_forecast_table(together(forecasts), sys.stderr if args.json else sys.stdout)
    return play_set([member.shown(args) for member in planned], solo_table, args)
