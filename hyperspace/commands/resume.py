"""`hyperspace resume`: go on with a run from its folder, or from its space on a server."""

import argparse
from pathlib import Path

from evolution.state.options.launch import LaunchOptions
from hyperspace.arguments.declared import add_options, values
from hyperspace.arguments.launching import Launching
from reporting.command_line import add_json

SUMMARY = "go on with a run that was stopped; needs its folder, or its space on a server"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "run",
        metavar="RUN",
        help="run folder, or postgresql://host/database?space=NAME; the folder is then made again "
        "below --results",
    )
    add_json(parser)
    add_options(parser, "resume", (LaunchOptions, Launching))


def run(args: argparse.Namespace) -> int:
    """Read the run's record and play on."""
    from evolution.launch.existing import options_of
    from evolution.launch.from_server import folder_from_server
    from evolution.state.remote.place import is_remote
    from hyperspace.launching import detach, launch, options_kind

    now = values(args, LaunchOptions, "resume")
    run = folder_from_server(args.run, args.results) if is_remote(args.run) else Path(args.run)
    options = options_of(run, options_kind(run), **now)
    if args.detach:
        return detach(args, [options])
    return launch(options, as_json=args.json)
