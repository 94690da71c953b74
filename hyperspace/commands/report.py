"""`hyperspace report`: arms compared, with what so few seeds can and cannot show."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from reporting.command_line import add_json

if TYPE_CHECKING:
    from replication.report.build import Study
    from reporting.figures import Drawn

SUMMARY = "compare the arms of an experiment, and say what so many seeds can show at all"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "source",
        type=Path,
        metavar="EXPERIMENT_OR_CSV",
        help="a run, a folder with runs at any depth, or a table with arm, seed, generation and "
        "val_score",
    )
    parser.add_argument(
        "--against",
        metavar="ARM",
        help="compare every arm with this one only: fewer comparisons need fewer seeds",
    )
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page of its own")
    parser.add_argument(
        "--png",
        type=Path,
        metavar="FILE|DIR",
        help="write images: the score curves as one file, or every figure into a folder",
    )
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the report, and write what was asked for."""
    from hyperspace.printing.streaming import print_json
    from replication.report.build import study_of
    from replication.report.text import report_lines
    from reporting.output import check_targets
    from runs.finding import read_scored

    check_targets(args.html, args.png)
    study = study_of(read_scored(args.source), str(args.source), against=args.against)
    _write(args.html, args.png, study)
    if args.json:
        print_json(study.report)
    else:
        sys.stdout.writelines(f"{line}\n" for line in report_lines(study))
    return 0


def _write(page: Path | None, images: Path | None, study: "Study") -> None:
    """Write what was asked for, once all of it could be made."""
    figures = None if images is None else _figures_for(images, study)
    if page is not None:
        from replication.report.html import report_page
        from reporting.output import write_page

        write_page(page, report_page(study))
    if images is not None and figures is not None:
        from reporting.output import write_images

        write_images(images, figures)


def _figures_for(target: Path, study: "Study") -> "list[Drawn]":
    """Return every figure for a folder, or the one that goes into a single image."""
    from evolution.errors import RunUsageError
    from replication.report.plots import report_figures
    from reporting.output import is_one_image

    several = len(study.experiments) > 1
    figures = [
        drawn._replace(name=f"{number}-{drawn.name}") if several else drawn
        for number, (report, experiment) in enumerate(
            zip(study.report.experiments, study.experiments, strict=True)
        )
        for drawn in report_figures(experiment.arms, report.arms)
    ]
    if is_one_image(target):
        figures = [drawn for drawn in figures if drawn.name.endswith("best-so-far")]
        if len(figures) != 1:
            raise RunUsageError(
                f"{len(figures)} experiments do not go into one image; name a folder, "
                "or one experiment"
            )
    return figures
