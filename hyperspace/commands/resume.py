"""`hyperspace resume`: go on with a run from its folder alone."""

import argparse

from evolution.state.options.launch import LaunchOptions
from hyperspace.arguments.common import add_json, add_run
from hyperspace.arguments.declared import add_options, values

SUMMARY = "go on with a run that was stopped; needs its folder and nothing else"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_run(parser)
    add_json(parser)
    add_options(parser, "resume", (LaunchOptions,))


def run(args: argparse.Namespace) -> int:
    """Read the run's record and play on."""
    import msgspec

    from evolution.launch.existing import options_of
    from evolution.state.config import read_record_of
    from hyperspace.commands import pair, solo
    from replication.options import SoloOptions
    from transfer_experiment.options import FleetOptions, PairOptions

    now = values(args, LaunchOptions, "resume")
    kind = read_record_of(args.run).configuration.kind
    if kind == "solo":
        alone = msgspec.structs.replace(options_of(args.run, SoloOptions), **now)
        return solo.launch(alone, as_json=args.json)
    options = options_of(args.run, PairOptions if kind == "pair" else FleetOptions)
    return pair.launch(msgspec.structs.replace(options, **now), as_json=args.json)
