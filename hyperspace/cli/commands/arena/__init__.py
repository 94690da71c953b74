"""`hyperspace arena`: solvers of a task against testers who make up its cases, in a tournament."""

import argparse
from typing import Any

from hyperspace.cli.arguments.declared import add_launch
from hyperspace.cli.arguments.launching import Launching
from transfer_experiment.options import ArenaOptions, FleetOptions

SUMMARY = "let solvers of a task improve against testers who make up cases, judged by an oracle"
OWN_HELP = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_launch(parser, "arena", (ArenaOptions, Launching))


def run(args: argparse.Namespace) -> int:
    """Launch, or go on with, the arenas that the options name."""
    from hyperspace.cli.commands.fleet import launch_fleets

    return launch_fleets(options_from(args), args)


def options_from(args: argparse.Namespace) -> list[FleetOptions]:
    """Return the options of every run that a parsed command line asks for."""
    from msgspec.structs import replace

    from hyperspace.cli.arguments.declared import values
    from hyperspace.cli.sets import check_size
    from transfer_experiment.arena import arena_fleet, require_round, rounds_of

    check_size(len(args.seeds))
    fields: dict[str, Any] = values(args, ArenaOptions, "arena")
    fields |= {"command": tuple(args.argv), "seed": args.seeds[0]}
    rounds: int | None = fields.pop("generations")
    options = ArenaOptions(**fields)
    first = arena_fleet(replace(options, generations=rounds or rounds_of(options)))
    require_round(first)
    return [replace(first, seed=seed) for seed in args.seeds]
