"""Score curves with the best so far, of any runs of ours, of published ones, or of a table.

The options and the work of `hyperspace eval_progress` and of the two modules of that name.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hyperspace.reporting.command_line import Parser, add_json

SUMMARY = "draw validation scores and the best so far of every run in a folder or a table"
_MOST_IN_ONE_IMAGE: Final = 40


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "base",
        nargs="?",
        type=Path,
        default=Path("results"),
        metavar="BASE",
        help="folder with runs, one run, or a table of scores (default: results)",
    )
    add_json(parser)
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page of its own")
    parser.add_argument(
        "--png", type=Path, metavar="FILE|DIR", help="write images: one file, or a folder of them"
    )


def show(args: argparse.Namespace) -> int:
    """Print, and write, what the parsed options ask for.

    Raises:
        RunUsageError: There are no runs, or files cannot go where they should.
        FiguresUnavailable: Figures were asked for and matplotlib is not installed.
    """
    import msgspec

    from hyperspace.kernel.errors import RunUsageError
    from hyperspace.reporting.curves import (
        A_FIGURE,
        curve_figures,
        curve_lines,
        curves_of,
        curves_page,
    )
    from hyperspace.reporting.output import check_targets, is_one_image, write_images, write_page
    from hyperspace.runs.finding import read_scored

    check_targets(args.html, args.png, source=args.base)
    left_out: list[str] = []
    runs = read_scored(args.base, left_out)
    curves = curves_of(runs, str(args.base), left_out)
    if args.html is not None:
        write_page(args.html, curves_page(curves, runs))
    if args.png is not None:
        together = is_one_image(args.png)
        if together and len(runs) > _MOST_IN_ONE_IMAGE:
            raise RunUsageError(
                f"{len(runs)} runs are too many for one image (at most {_MOST_IN_ONE_IMAGE}); "
                "name a folder for the images"
            )
        each = len(runs) if together else A_FIGURE
        write_images(args.png, list(curve_figures(runs, each)))
    lines = [msgspec.json.encode(curves).decode()] if args.json else curve_lines(curves)
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 0


def main(argv: Sequence[str], module: str) -> int:
    """Run one command line and return its exit code: 0 done, 1 failed, 2 used wrongly.

    Args:
        argv: The command line after the module's name.
        module: What it was called by.
    """
    from hyperspace.kernel.errors import RunError, RunUsageError

    example = f"example:\n  python -m {module} results --html curves.html"
    parser = Parser(prog=f"python -m {module}", description=SUMMARY, epilog=example)
    add_arguments(parser)
    try:
        return show(parser.parse_args(argv))
    except RunError as error:
        sys.stderr.write(f"eval_progress: {error}\n")
        return 2 if isinstance(error, RunUsageError) else 1
