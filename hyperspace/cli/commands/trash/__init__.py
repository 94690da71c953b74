"""`hyperspace trash`: put a run away, and bring it back."""

import argparse
from pathlib import Path

from hyperspace.reporting.command_line import add_json

SUMMARY = "move a run into the trash folder of its results folder, or bring it back"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("path", type=Path, metavar="RUN", help="run folder, results/.../seed<n>")
    parser.add_argument(
        "--results",
        type=Path,
        default=Path("results"),
        metavar="DIR",
        help="folder above the run that has the trash folder (default: results)",
    )
    parser.add_argument(
        "--restore",
        action="store_true",
        help="bring back what lies in this folder below .hyperspace-trash, as it was told",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Move it, and say how to undo that."""
    from hyperspace.cli.printing.streaming import print_json
    from hyperspace.kernel.errors import RunUsageError
    from hyperspace.runs.trash import TRASH, bring_back, put_away

    if args.restore:
        trash = args.path.absolute().parent
        if trash.name != TRASH:
            raise RunUsageError(f"{args.path} is not right below a folder {TRASH}")
        folder = bring_back(args.path.name, trash.parent)
        if args.json:
            print_json({"run": str(folder)})
        else:
            print(f"back in {folder}")
        return 0
    trashed = put_away(args.path, args.results)
    entry, folder = trashed.way_back(args.results), trashed.folder(args.results)
    if args.json:
        print_json({"run": str(args.path), "folder": str(folder), "entry": entry})
    else:
        print(f"moved to {folder}\nhyperspace trash --restore {entry} brings it back")
    return 0
