"""`hyperspace solo`: one agent that improves itself; arms, their controls, and sets of seeds."""

import argparse
import sys
from typing import TYPE_CHECKING

from evolution.state.options.solo import Annealing
from hyperspace.arguments.declared import add_launch
from hyperspace.arguments.launching import Launching
from replication.options import SoloOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolution.launch.forecast import Forecast
    from hyperspace.solo_plan import PlannedSolo
    from replication.result import SoloResult

SUMMARY = "run one agent that improves its own code: an arm of the solo loop, and its controls"
OWN_HELP = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_launch(parser, "solo", (SoloOptions, Annealing, Launching))


def run(args: argparse.Namespace) -> int:
    """Launch, or go on with, the runs that the options name."""
    from hyperspace.solo_plan import plan

    planned = plan(args)
    if args.dry_run:
        return look_ahead(planned, as_json=args.json)
    if len(planned) == 1:
        return launch(planned[0].options, as_json=args.json, events=args.events)
    return launch_set(planned, args)


def look_ahead(planned: "Sequence[PlannedSolo]", *, as_json: bool) -> int:
    """Print what the runs will take together."""
    from hyperspace.printing.forecasts import print_forecast

    print_forecast(_forecast(planned), as_json=as_json)
    return 0


def _forecast(planned: "Sequence[PlannedSolo]") -> "Forecast":
    from evolution.launch.forecast import together
    from replication.solo import dry_run

    return together({member.label: dry_run(member.options) for member in planned})


def launch(options: "SoloOptions", *, as_json: bool, events: bool = False) -> int:
    """Play a solo run with progress and print its result."""
    from hyperspace.printing.progress import progress
    from hyperspace.printing.streaming import streaming
    from replication.solo import run_solo

    agents = list(zip(options.agents(), options.models, strict=True))
    shown = streaming() if events else progress(agents, options.generations)
    with shown as observer:
        result = run_solo(options, observer)
    show(result, as_json=as_json or events)
    return 0


def launch_set(planned: "Sequence[PlannedSolo]", args: argparse.Namespace) -> int:
    """Play several runs with one view of all, and print what they came to."""
    from evolution.events import Event
    from evolution.launch.run_models import resolve_models
    from hyperspace.printing.forecasts import print_forecast_table
    from hyperspace.printing.solo_tables import print_set
    from hyperspace.sets import complain, play_shown, to_json
    from replication.solo import prepare

    def nobody(_event: Event) -> None:
        pass

    for member in planned:
        # What is wrong with the command is said once, and here; a control may be another arm's.
        if member is planned[0] or member.options.arm is not None:
            prepare(member.options, nobody)
    if args.controls and not resolve_models((args.model,), args.eval_model).all_offline:
        print_forecast_table(_forecast(planned), sys.stderr if args.json else sys.stdout)
    outcomes = play_shown([member.shown(args) for member in planned], args.parallel)
    if args.json:
        sys.stdout.write(to_json(outcomes) + "\n")
    else:
        print_set(outcomes)
    return complain(outcomes)


def show(result: "SoloResult", *, as_json: bool) -> None:
    """Print a result on standard output, as JSON or as a table."""
    from replication.result import fields_of

    if as_json:
        import msgspec

        sys.stdout.write(msgspec.json.encode(fields_of(result)).decode() + "\n")
        return
    from hyperspace.printing.solo_tables import print_solo

    print_solo(result)
