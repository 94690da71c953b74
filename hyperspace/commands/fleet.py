"""`hyperspace fleet`: any number of agents on any mix of models, and the arms they are compared by.

Several arms or seeds are several runs, one after the other; what is finished is not played again.
"""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hyperspace.arguments import add_json, seeds
from hyperspace.launch_arguments import add_launch, launch_asked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolution.fleet import Arm
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
    add_launch(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Launch, or go on with, the runs that the options name."""
    asked = options_from(args)
    if args.dry_run:
        return _look_ahead(asked, as_json=args.json)
    return _launch(asked, as_json=args.json)


def options_from(args: argparse.Namespace) -> "list[FleetOptions]":
    """What a parsed command line asks for, one run each."""
    from transfer_experiment.fleet import fleet_options
    from transfer_experiment.fleet_file import read_fleet

    return fleet_options(read_fleet(args.config), args.arms, args.seeds, **launch_asked(args))


def _look_ahead(asked: "Sequence[FleetOptions]", *, as_json: bool) -> int:
    from hyperspace.commands.pair import look_ahead

    for options in asked:
        if len(asked) > 1 and not as_json:
            print(f"{options.name()}, seed {options.seed}:")
        look_ahead(options, as_json=as_json)
    return 0


def _launch(asked: "Sequence[FleetOptions]", *, as_json: bool) -> int:
    from hyperspace.commands.pair import launch

    for options in asked:
        if len(asked) > 1:
            print(f"{options.name()}, seed {options.seed}", file=sys.stderr)
        launch(options, as_json=as_json)
    return 0


def _arms(text: str) -> "tuple[Arm, ...]":
    from evolution.fleet import ARMS

    names = text.split(",")
    for name in names:
        if name not in ARMS:
            raise argparse.ArgumentTypeError(f"no arm {name!r}; there are {', '.join(ARMS)}")
    if len(set(names)) < len(names):
        raise argparse.ArgumentTypeError(f"{text} names an arm twice")
    return tuple(arm for name in names for arm in ARMS if arm == name)
