"""`hyperspace fleet`: any number of agents on any mix of models, and the arms they are compared by.

Several arms or seeds are a set of runs, each a process of its own; what is finished is not played
again.
"""

import argparse
import sys
from typing import TYPE_CHECKING

from evolution.state.options.launch import LaunchOptions
from hyperspace.arguments.declared import add_launch, values
from hyperspace.arguments.launching import Launching
from transfer_experiment.options import FleetOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hyperspace.sets import Shown

SUMMARY = "run any number of agents as a file describes them, with control arms"
OWN_HELP = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_launch(parser, "fleet", (FleetOptions, Launching))


def run(args: argparse.Namespace) -> int:
    """Launch, or go on with, the runs that the options name."""
    from evolution.errors import RunUsageError
    from hyperspace.commands.pair import launch

    runs = options_from(args)
    if args.events and len(runs) > 1:
        raise RunUsageError(
            f"--events tells of one run, and this is a set of {len(runs)}; "
            "name one arm and one seed"
        )
    if args.dry_run:
        from evolution.launch.forecast import together
        from hyperspace.printing.forecasts import print_forecast
        from transfer_experiment.pair import dry_run

        forecasts = {_label(options): dry_run(options) for options in runs}
        print_forecast(together(forecasts), as_json=args.json)
        return 0
    if len(runs) == 1:
        return launch(runs[0], as_json=args.json, events=args.events)
    return _launch_set(runs, args)


def options_from(args: argparse.Namespace) -> "list[FleetOptions]":
    """Return the options of every run that a parsed command line asks for."""
    from hyperspace.sets import check_size
    from transfer_experiment.fleet import fleet_options
    from transfer_experiment.fleet_file import read_fleet

    check_size(len(args.seeds) * max(1, len(args.arms)))
    fleet = read_fleet(args.config)
    if args.generations is not None:
        fleet = fleet.lasting(args.generations)
    given = values(args, LaunchOptions, "fleet") | {"command": tuple(args.argv)}
    return fleet_options(fleet, args.arms, args.seeds, **given)


def _launch_set(runs: "Sequence[FleetOptions]", args: argparse.Namespace) -> int:
    from evolution.events import Event
    from evolution.launch.setup import set_up
    from hyperspace.printing.fleet_tables import print_fleets
    from hyperspace.sets import complain, play_shown, to_json

    def nobody(_event: Event) -> None:
        pass

    set_up(runs[0], nobody)  # what is wrong with the command is said once, and here
    outcomes = play_shown([_shown(options, args) for options in runs], args.parallel)
    if args.json:
        sys.stdout.write(to_json(outcomes) + "\n")
    else:
        print_fleets(outcomes)
    return complain(outcomes)


def _shown(options: "FleetOptions", args: argparse.Namespace) -> "Shown":
    """The command line that plays a run alone: the same one, and what tells it from the others."""
    from hyperspace.sets import Shown

    own = ("--seeds", str(options.seed), "--arms", options.arm)
    agents = zip(options.agents(), options.models, options.budgets(), strict=True)
    return Shown(_label(options), tuple(agents), (*args.argv[1:], *own))


def _label(options: "FleetOptions") -> str:
    return f"{options.name()} seed{options.seed}"
