"""`hyperspace space`: look into a run's mark space."""

import argparse
import sys
from typing import Any

from hyperspace.arguments import add_run

SUMMARY = "look into a run's mark space: `space marks RUN --scope strategies`"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    marks = actions.add_parser("marks", help="list marks in the order of writing")
    add_run(marks)
    marks.add_argument("--scope", metavar="SCOPE", help="only this scope and what is below it")
    marks.add_argument(
        "--json", action="store_true", help="one JSON object a line, contents included"
    )


def run(args: argparse.Namespace) -> int:
    """List the marks."""
    from evolution.listing import list_marks

    for listed in list_marks(args.run, args.scope):
        sys.stdout.write((listed.to_json() if args.json else _line(listed)) + "\n")
    return 0


def _line(listed: Any) -> str:
    scores = " ".join(f"{name}={value}" for name, value in listed.facts.items())
    place = f"{listed.mark_type:<12} {listed.scope:<28} {listed.key:<10}"
    return f"{listed.sequence:>6}  {place} {scores}"
