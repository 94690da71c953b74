"""`hyperspace resume`: go on with a run from its folder alone."""

import argparse

from evolution.state.options.launch import LaunchOptions
from hyperspace.arguments.declared import add_options, values
from hyperspace.arguments.launching import Launching
from reporting.command_line import add_json, add_run

SUMMARY = "go on with a run that was stopped; needs its folder and nothing else"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_run(parser)
    add_json(parser)
    add_options(parser, "resume", (LaunchOptions, Launching))


def run(args: argparse.Namespace) -> int:
    """Read the run's record and play on."""
    from evolution.launch.existing import options_of
    from hyperspace.launching import detach, launch, options_kind

    now = values(args, LaunchOptions, "resume")
    options = options_of(args.run, options_kind(args.run), **now)
    if args.detach:
        return detach(args, [options])
    return launch(options, as_json=args.json)
