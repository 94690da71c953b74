"""`hyperspace runs`: every run below a folder, a line each."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from hyperspace.reporting.command_line import add_json

if TYPE_CHECKING:
    from hyperspace.runs.following.overview import RunOverview

SUMMARY = "list the runs below a folder: what they are, how far they are, their best"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        default=Path("results"),
        metavar="FOLDER",
        help="default: results",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """List them; a folder without any is a usage error."""
    import msgspec

    from hyperspace.cli.printing.streaming import print_ascii
    from hyperspace.kernel.errors import RunUsageError
    from hyperspace.kernel.files import written_name
    from hyperspace.runs.finding import find_runs
    from hyperspace.runs.following.overview import OverviewReader

    if not args.folder.is_dir():
        raise RunUsageError(f"{args.folder} is no folder; name one with runs below it")
    unreadable: list[Path] = []
    listed = [
        (written_name(folder.relative_to(args.folder).as_posix()), OverviewReader(folder).read())
        for folder in find_runs(args.folder, unreadable=unreadable)
    ]
    if args.json:
        print_ascii(
            {
                "runs": [{"run": name} | msgspec.to_builtins(one) for name, one in listed],
                "unreadable": [str(path) for path in unreadable],
            }
        )
    elif not listed and not unreadable:
        raise RunUsageError(f"there is no run below {args.folder}")
    else:
        _print_table(listed)
        for path in unreadable:
            print(f"{path}: may not be read")
    return 0


def _print_table(listed: "list[tuple[str, RunOverview]]") -> None:
    from rich.table import Table

    from hyperspace.cli.printing.terminal import console
    from hyperspace.reporting.lines import score

    table = Table()
    for name in ("run", "state", "generations", "best val", "test", "models"):
        table.add_column(name, overflow="fold")
    for name, one in listed:
        closed = f"{one.closed}/{'?' if one.planned is None else one.planned}"
        scores = score(one.best_val), score(one.test)
        table.add_row(name, one.state, closed, *scores, ", ".join(one.models))
    console().print(table)
    for name, one in listed:
        if one.why and one.state in ("damaged", "paused", "waiting"):
            print(f"{name}: {one.why}")
