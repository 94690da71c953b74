"""`hyperspace space`: look into any mark space. One module here for each action."""

import argparse
from importlib import import_module

from hyperspace.cli.commands.space.place import add_place
from hyperspace.cli.examples import shown

SUMMARY = "look into a mark space, a run's or any other: `space marks RUN --scope strategies`"
ACTIONS = ("marks", "needs", "watch", "audit", "verify", "stats", "export")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the actions and their options."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for name in ACTIONS:
        module = import_module(f"hyperspace.cli.commands.space.{name}")
        action = actions.add_parser(
            name, help=module.SUMMARY, description=module.SUMMARY, epilog=shown(f"space {name}")
        )
        add_place(action)
        module.add_arguments(action)


def run(args: argparse.Namespace) -> int:
    """Open the space and do what was asked for."""
    from hyperspace.cli.commands.space.place import open_place

    module = import_module(f"hyperspace.cli.commands.space.{args.action}")
    with open_place(args.space) as opened:
        return int(module.run(args, opened))
