"""`hyperspace resume`: go on with a run from its folder alone."""

import argparse

from evolution.state.options.launch import LaunchOptions
from hyperspace.arguments.declared import add_options, values
from reporting.command_line import add_json, add_run

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
    from hyperspace.launching import launch
    from replication.options import SoloOptions
    from transfer_experiment.options import FleetOptions, PairOptions

    records = {"solo": SoloOptions, "pair": PairOptions, "fleet": FleetOptions}
    now = values(args, LaunchOptions, "resume")
    kind = read_record_of(args.run).configuration.kind
    options = options_of(args.run, records[kind])
    return launch(msgspec.structs.replace(options, **now), as_json=args.json)
