"""`hyperspace resume`: go on with a run from its folder alone."""

import argparse
from typing import Any

from hyperspace.arguments.common import add_json, add_outage, add_run
from hyperspace.arguments.spending import add_terms

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

    from evolution.options.launch import LaunchOptions, options_of
    from evolution.state.config import read_record_of
    from hyperspace.arguments.spending import asked_terms
    from hyperspace.commands import pair, solo
    from replication.options import solo_options_of
    from transfer_experiment.fleet import FleetOptions
    from transfer_experiment.options import PairOptions

    now: dict[str, Any] = {"terms": asked_terms(args), "outage_minutes": args.outage_minutes}
    kind = read_record_of(args.run).configuration.kind
    if kind == "solo":
        alone = msgspec.structs.replace(solo_options_of(args.run), **now)
        return solo.launch(alone, as_json=args.json)
    kinds: dict[str, type[LaunchOptions]] = {"pair": PairOptions, "fleet": FleetOptions}
    options = msgspec.structs.replace(options_of(args.run, kinds[kind]), **now)
    return pair.launch(options, as_json=args.json)
