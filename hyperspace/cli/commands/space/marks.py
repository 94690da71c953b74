"""`hyperspace space marks`: what was written."""

import argparse
import sys

from hyperspace.cli.commands.space.place import Place, add_lines, add_scope
from hyperspace.options.values import whole_number

SUMMARY = "list marks in the order of writing, superseded ones included"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's options."""
    add_scope(parser)
    parser.add_argument(
        "--after", type=whole_number, default=0, metavar="SEQUENCE", help="only later marks"
    )
    add_lines(parser)


def run(args: argparse.Namespace, opened: Place) -> int:
    """List the marks."""
    from hyperspace.runs.spaces.listing import to_json, to_text
    from hyperspace.runs.spaces.opening import check_scope, kept

    check_scope(opened.space, args.scope)
    for mark in kept(opened.space, scope=args.scope, after=args.after):
        line = to_json(mark).decode() if args.json else to_text(mark, opened.wording)
        sys.stdout.write(line + "\n")
    return 0
