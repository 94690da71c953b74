"""`hyperspace resume`: go on with a run from its folder alone."""

import argparse

from hyperspace.arguments import add_json, add_run

SUMMARY = "go on with a run that was stopped; needs its folder and nothing else"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_run(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Read the run's record and play on."""
    from hyperspace.commands.pair import launch
    from transfer_experiment.options import options_of

    return launch(options_of(args.run), as_json=args.json)
