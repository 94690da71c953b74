"""`hyperspace resume`: go on with a run from its folder alone."""

import argparse

from hyperspace.arguments import add_json, add_outage, add_run
from hyperspace.spending import add_terms

SUMMARY = "go on with a run that was stopped; needs its folder and nothing else"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_run(parser)
    add_terms(parser)
    add_outage(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Read the run's record and play on."""
    import msgspec

    from evolution.config import read_record_of
    from evolution.launch.options import options_of
    from hyperspace.commands.pair import launch
    from hyperspace.spending import asked_terms
    from transfer_experiment.fleet import FleetOptions
    from transfer_experiment.options import PairOptions

    kinds = {"pair": PairOptions, "fleet": FleetOptions}
    kind = kinds[read_record_of(args.run).configuration.kind]
    options = msgspec.structs.replace(
        options_of(args.run, kind),
        terms=asked_terms(args),
        outage_minutes=args.outage_minutes,
    )
    return launch(options, as_json=args.json)
