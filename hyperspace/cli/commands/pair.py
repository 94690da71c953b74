"""`hyperspace pair`: two agents on different models take turns and may adopt from each other."""

import argparse

from hyperspace.cli.arguments.declared import add_launch, values
from hyperspace.cli.arguments.launching import Launching
from hyperspace.options.fleet import FleetTerms, Member
from transfer_experiment.options import PairOptions

SUMMARY = "run two agents side by side, each improving its own code, and see who adopts what"
SURPLUS = "a pair has two models; hyperspace fleet plays any number of agents"
OWN_HELP = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_launch(parser, "pair", (PairOptions, Launching))


def run(args: argparse.Namespace) -> int:
    """Launch, or go on with, the run that the options name."""
    from hyperspace.cli.launching import detach, launch, look_ahead

    options = options_from(args)
    if args.dry_run:
        return look_ahead({"": options}, as_json=args.json)
    if args.detach:
        return detach(args, [options])
    return launch(options, as_json=args.json)


def options_from(args: argparse.Namespace, kind: type[PairOptions] = PairOptions) -> PairOptions:
    """Return what a parsed command line asks for.

    Args:
        args: The parsed command line.
        kind: The record whose fields declare its options.
    """
    from hyperspace.launch.existing import with_existing_budgets

    number = args.generations or args.generations_if_new
    budgets: tuple[int, int] = tuple(args.budget or (number, number))
    fields = values(args, kind, "pair")
    fields["generations"] = max(budgets)
    if budgets[0] != budgets[1]:
        fields["fleet"] = FleetTerms(members=tuple(map(Member, budgets)))
    options = kind(**fields, command=tuple(args.argv))
    return options if args.generations or args.budget else with_existing_budgets(options)
