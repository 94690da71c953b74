"""`hyperspace space verify`: whether a space is what its audit chain says."""

import argparse
import sys
from pathlib import Path

from hyperspace.cli.commands.space.place import Place
from hyperspace.options.values import chain_head
from hyperspace.reporting.command_line import add_json

SUMMARY = "check all marks and entries against the hash chain; exit code 1 if they do not fit"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the action's options."""
    parser.add_argument(
        "--head",
        type=chain_head,
        metavar="HEX",
        help="a head noted earlier, which the chain must contain: else it was cut off "
        "(default for a finished run: the one in its summary.json)",
    )
    add_json(parser)


def run(args: argparse.Namespace, opened: Place) -> int:
    """Verify; 1 if the chain does not."""
    from hyperspace.cli.printing.streaming import print_json

    head = args.head
    if not head and Path(opened.name).is_dir():
        from hyperspace.audit.audit import promised_head
        from hyperspace.kernel.state.folder import RunFolder

        head = promised_head(RunFolder(Path(opened.name)))
    result = opened.space.verify(expected_head=head)
    if args.json:
        print_json(result)
    elif result.ok:
        print(f"verified: {result.entries} entries, head {result.head}")
    else:
        print(f"DOES NOT VERIFY: {result.problem}", file=sys.stderr)
    return 0 if result.ok else 1
