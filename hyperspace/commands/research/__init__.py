"""`hyperspace research`: ideas of models become diffs of a training repository, and are scored."""

import argparse
import sys
from typing import Any

from hyperspace.arguments.declared import add_options
from reporting.command_line import add_json
from research.loop.options import ResearchOptions

SUMMARY = "let models improve a training repository: ideas, diffs, jobs, scores on sealed data"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    add_options(parser, "research", (ResearchOptions,))
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Play the run that the options name, or go on with it."""
    from hyperspace.arguments.declared import values
    from hyperspace.printing.streaming import print_json
    from research.loop.run import run_research

    said = values(args, ResearchOptions, "research")
    options = ResearchOptions(**said, command=args.argv)
    fields = run_research(options, _tell)
    if args.json:
        print_json(fields)
    else:
        _print(fields)
    return 0


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _print(fields: dict[str, Any]) -> None:
    from rich.table import Table

    from hyperspace.printing.terminal import console

    metric, out = fields["metric"], console()
    table = Table("epoch", "ideas", "with a score", f"best {metric}", box=None)
    for epoch in fields["epochs"]:
        table.add_row(*(str(epoch[name]) for name in ("epoch", "ideas", "scored", "best")))
    out.print(table)
    states = ", ".join(f"{count} {state}" for state, count in fields["states"].items())
    out.print(
        f"{metric} {fields['baseline']} as it is, {fields['best']} by idea {fields['best_idea']} "
        f"({fields['goal']} counts); {states}; {fields['calls']} calls, "
        f"{fields['cpu_s']} CPU seconds of jobs",
        markup=False,
        soft_wrap=True,
    )
    out.print(f"digest {fields['digest']}", markup=False)
    out.print(f"results in {fields['run']}", markup=False, soft_wrap=True)
