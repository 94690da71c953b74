"""`hyperspace pair`: two agents on different models take turns and may adopt from each other."""

import argparse
import sys
from typing import TYPE_CHECKING

from hyperspace.arguments.declared import add_launch, values
from hyperspace.arguments.launching import Launching
from transfer_experiment.options import PairOptions, budget_terms

if TYPE_CHECKING:
    from evolution.state.options.launch import LaunchOptions
    from transfer_experiment.result import PairResult

SUMMARY = "run two agents side by side, each improving its own code, and see who adopts what"
SURPLUS = "a pair has two models; hyperspace fleet plays any number of agents"
OWN_HELP = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_launch(parser, "pair", (PairOptions, Launching))


def run(args: argparse.Namespace) -> int:
    """Launch, or go on with, the run that the options name."""
    options = options_from(args)
    if args.dry_run:
        return look_ahead(options, as_json=args.json)
    return launch(options, as_json=args.json)


def options_from(args: argparse.Namespace, kind: type[PairOptions] = PairOptions) -> PairOptions:
    """Return what a parsed command line asks for.

    Args:
        args: The parsed command line.
        kind: The record whose fields declare its options.
    """
    from evolution.launch.existing import with_existing_budgets

    number = args.generations or args.generations_if_new
    budgets: tuple[int, int] = tuple(args.budget or (number, number))
    fields = values(args, kind, "pair")
    fields |= {"generations": max(budgets), "fleet": budget_terms(budgets)}
    options = kind(**fields, command=tuple(args.argv))
    return options if args.generations or args.budget else with_existing_budgets(options)


def look_ahead(options: "LaunchOptions", *, as_json: bool) -> int:
    """Print what a run will take."""
    from hyperspace.printing.forecasts import print_forecast
    from transfer_experiment.pair import dry_run

    print_forecast(dry_run(options), as_json=as_json)
    return 0


def launch(options: "LaunchOptions", *, as_json: bool, events: bool = False) -> int:
    """Play a pair or a fleet with progress and print its result.

    Args:
        options: The run.
        as_json: Whether the result is one JSON object.
        events: Whether standard output tells events, and the result last, as JSON lines.
    """
    from hyperspace.printing.progress import progress
    from hyperspace.printing.streaming import streaming
    from transfer_experiment.pair import run_pair

    agents = list(zip(options.agents(), options.models, strict=True))
    shown = streaming() if events else progress(agents, options.generations, options.budgets())
    with shown as observer:
        result = run_pair(options, observer)
    show(result, as_json=as_json or events)
    return 0


def show(result: "PairResult", *, as_json: bool) -> None:
    """Print a result on standard output, as JSON or as tables."""
    if as_json:
        from transfer_experiment.result import to_json

        sys.stdout.write(to_json(result) + "\n")
        return
    from hyperspace.printing.tables import print_pair

    print_pair(result)
