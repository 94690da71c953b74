"""`hyperspace arena`: solvers of a task against testers who make up its cases, in a tournament."""

import argparse
from typing import Any

from hyperspace.arguments.declared import add_launch
from hyperspace.arguments.launching import Launching
from transfer_experiment.options import ArenaOptions, FleetOptions

SUMMARY = "let solvers of a task improve against testers who make up cases, judged by an oracle"
OWN_HELP = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_launch(parser, "arena", (ArenaOptions, Launching))


def run(args: argparse.Namespace) -> int:
    """Launch, or go on with, the arenas that the options name."""
    from evolution.errors import RunUsageError
    from evolution.events import nobody
    from evolution.launch.setup import set_up
    from hyperspace.launching import detach, launch, look_ahead
    from hyperspace.printing.tables import fleet_table
    from hyperspace.set_units import Shown
    from hyperspace.sets import play_set

    runs = options_from(args)
    if args.events and len(runs) > 1:
        raise RunUsageError(
            f"--events tells of one run, and this is a set of {len(runs)}; name one seed"
        )
    if args.dry_run:
        return look_ahead({_label(options): options for options in runs}, as_json=args.json)
    if args.detach:
        return detach(args, runs)
    if len(runs) == 1:
        return launch(runs[0], as_json=args.json, events=args.events)
    set_up(runs[0], nobody)  # what is wrong with the command is said once, and here
    members = [
        Shown(_label(options), options, (*args.argv[1:], "--seeds", str(options.seed)))
        for options in runs
    ]
    return play_set(members, fleet_table, args)


def options_from(args: argparse.Namespace) -> list[FleetOptions]:
    """Return the options of every run that a parsed command line asks for."""
    from msgspec.structs import replace

    from hyperspace.arguments.declared import values
    from hyperspace.sets import check_size
    from transfer_experiment.arena import arena_fleet, require_round, rounds_of

    check_size(len(args.seeds))
    fields: dict[str, Any] = values(args, ArenaOptions, "arena")
    fields |= {"command": tuple(args.argv), "seed": args.seeds[0]}
    rounds: int | None = fields.pop("generations")
    options = ArenaOptions(**fields)
    first = arena_fleet(replace(options, generations=rounds or rounds_of(options)))
    require_round(first)
    return [replace(first, seed=seed) for seed in args.seeds]


def _label(options: FleetOptions) -> str:
    return f"{options.name()} seed{options.seed}"
