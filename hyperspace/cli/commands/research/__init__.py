"""`hyperspace research`: ideas of models become diffs of a training repository, and are scored."""

import argparse
from itertools import product
from typing import Any

from hyperspace.cli.arguments.declared import add_options
from hyperspace.reporting.command_line import add_json
from hyperspace.research.loop.options import ResearchOptions

SUMMARY = "let models improve a training repository: ideas, diffs, jobs, scores on sealed data"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_options(parser, "research", (ResearchOptions,))
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Play the runs that the options name, or go on with them, one after another."""
    from hyperspace.cli.arguments.declared import values
    from hyperspace.cli.printing.endings import tell_ideas
    from hyperspace.cli.printing.research_text import print_research
    from hyperspace.cli.printing.streaming import tell_line
    from hyperspace.cli.sets import check_size
    from hyperspace.research.loop.run import run_set

    said = values(args, ResearchOptions, "research")
    seeds, arms = said.pop("seed"), said.pop("arm")
    check_size(len(seeds) * len(arms))
    every = [
        ResearchOptions(**said, seed=seed, arm=arm, command=args.argv)
        for seed, arm in product(seeds, arms)
    ]
    results: list[dict[str, Any]] = []
    for fields in run_set(every, tell_line):
        print_research(fields, as_json=args.json)
        results.append(fields)
    return tell_ideas(results)
