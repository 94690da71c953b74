"""`hyperspace fleet`: any number of agents on any mix of models, and the arms they are compared by.

Several arms or seeds are a set of runs, each a process of its own; what is finished is not played
again.
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hyperspace.arguments.common import add_generations, add_json, positive, seeds
from hyperspace.arguments.launch import add_launch, launch_asked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolution.options.fleet import Arm
    from hyperspace.sets import Shown
    from transfer_experiment.fleet import FleetOptions

SUMMARY = "run any number of agents as a file describes them, with control arms"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "--config", type=Path, required=True, metavar="FILE", help="the fleet's file (TOML)"
    )
    parser.add_argument(
        "--arms",
        type=_arms,
        default=(),
        metavar="ARM,...",
        help="sharing, none, shuffled, placebo: a run of each (default: what the file says)",
    )
    parser.add_argument(
        "--seeds",
        "--seed",
        type=seeds,
        default=(42,),
        metavar="A..B",
        help="run seeds: 42, 42..46 or 42,44; a run of each (default: 42)",
    )
    add_generations(
        parser,
        "generations of the agents that have no budget of their own (default: what the file says)",
    )
    parser.add_argument(
        "--parallel", type=positive, metavar="N", help="runs at the same time (default: cores)"
    )
    parser.add_argument(
        "--events",
        action="store_true",
        help="print the events of one run and its result as JSON lines, and nothing else",
    )
    add_launch(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Launch, or go on with, the runs that the options name."""
    from hyperspace.commands.pair import launch

    asked = options_from(args)
    _check_events(args, len(asked))
    if args.dry_run:
        return _look_ahead(asked, as_json=args.json)
    if len(asked) == 1:
        return launch(asked[0], as_json=args.json, events=args.events)
    return _launch_set(asked, args)


def options_from(args: argparse.Namespace) -> "list[FleetOptions]":
    """What a parsed command line asks for, one run each."""
    from hyperspace.sets import check_size
    from transfer_experiment.fleet import fleet_options
    from transfer_experiment.fleet_file import read_fleet

    check_size(len(args.seeds) * max(1, len(args.arms)))
    fleet = read_fleet(args.config)
    if args.generations is not None:
        fleet = fleet.lasting(args.generations)
    return fleet_options(fleet, args.arms, args.seeds, **launch_asked(args))


def _check_events(args: argparse.Namespace, count: int) -> None:
    from evolution.errors import RunUsageError

    if args.events and count > 1:
        raise RunUsageError(
            f"--events tells of one run, and this is a set of {count}; name one arm and one seed"
        )


def _look_ahead(asked: "Sequence[FleetOptions]", *, as_json: bool) -> int:
    from evolution.launch.forecast import together
    from hyperspace.printing.forecasts import print_forecast
    from transfer_experiment.pair import dry_run

    forecasts = {_label(options): dry_run(options) for options in asked}
    print_forecast(together(forecasts), as_json=as_json)
    return 0


def _launch_set(asked: "Sequence[FleetOptions]", args: argparse.Namespace) -> int:
    from evolution.events import Event
    from evolution.launch.setup import set_up
    from hyperspace.printing.fleet_tables import print_fleets
    from hyperspace.sets import complain, play_shown, to_json

    def nobody(_event: Event) -> None:
        pass

    set_up(asked[0], nobody)  # what is wrong with the command is said once, and here
    outcomes = play_shown([_shown(options, args) for options in asked], args.parallel)
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


def _arms(text: str) -> "tuple[Arm, ...]":
    from evolution.options.fleet import ARMS

    names = text.split(",")
    for name in names:
        if name not in ARMS:
            raise argparse.ArgumentTypeError(f"no arm {name!r}; there are {', '.join(ARMS)}")
    if len(set(names)) < len(names):
        raise argparse.ArgumentTypeError(f"{text} names an arm twice")
    return tuple(arm for name in names for arm in ARMS if arm == name)
