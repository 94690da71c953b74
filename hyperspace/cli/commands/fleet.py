"""`hyperspace fleet`: any number of agents on any mix of models, and the arms they are compared by.

Several arms or seeds are a set of runs, each a process of its own; what is finished is not played
again.
"""

import argparse
from contextlib import suppress
from pathlib import Path

from hyperspace.cli.arguments.declared import add_launch, values
from hyperspace.cli.arguments.launching import Launching
from hyperspace.options.launch import LaunchOptions
from transfer_experiment.options import FleetOptions

SUMMARY = "run any number of agents as a file describes them, with control arms"
OWN_HELP = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_launch(parser, "fleet", (FleetOptions, Launching))


def run(args: argparse.Namespace) -> int:
    """Launch, or go on with, the runs that the options name."""
    return launch_fleets(options_from(args), args)


def launch_fleets(runs: list[FleetOptions], args: argparse.Namespace) -> int:
    """Launch, go on with or forecast fleets, one alone or several as a set.

    Args:
        runs: One or more.
        args: The command line that they come from, of `fleet` or `arena`.
    """
    from hyperspace.cli.launching import detach, launch, look_ahead
    from hyperspace.cli.printing.tables import fleet_table
    from hyperspace.cli.sets import play_set
    from hyperspace.cli.sweep_jobs import Shown
    from hyperspace.kernel.errors import RecordUnreadable, RunUsageError
    from hyperspace.kernel.events import nobody
    from hyperspace.launch.setup import set_up

    if args.events and len(runs) > 1:
        raise RunUsageError(
            f"--events tells of one run, and this is a set of {len(runs)}; "
            "name one seed, and one arm"
        )
    if args.dry_run:
        return look_ahead({_label(options): options for options in runs}, as_json=args.json)
    if args.detach:
        return detach(args, runs)
    if len(runs) == 1:
        return launch(runs[0], as_json=args.json, events=args.events, of_set=args.of_set)
    with suppress(RecordUnreadable):  # which concerns that run alone
        set_up(runs[0], nobody)  # what is wrong with the command is said once, and here
    config: Path | None = getattr(args, "config", None)
    members: list[Shown] = []
    for options in runs:
        # The command line that plays it alone: the same one, and what tells it from the others.
        arm = () if config is None else ("--arms", options.arm)
        command = (*args.argv[1:], "--seeds", str(options.seed), *arm)
        members.append(Shown(_label(options), options, command, config))
    return play_set(members, fleet_table, args)


def options_from(args: argparse.Namespace) -> list[FleetOptions]:
    """Return the options of every run that a parsed command line asks for."""
    from hyperspace.cli.sets import check_size
    from transfer_experiment.fleet_arms import fleet_arms, fleet_options
    from transfer_experiment.fleet_file import read_fleet

    fleet = read_fleet(args.config)
    if args.generations is not None:
        fleet = fleet.lasting(args.generations)
    arms = fleet_arms(fleet, args.arms)
    check_size(len(args.seeds) * len(arms))
    given = values(args, LaunchOptions, "fleet") | {"command": tuple(args.argv)}
    return fleet_options(arms, args.seeds, **given)


def _label(options: FleetOptions) -> str:
    return f"{options.name()} seed{options.seed}"
