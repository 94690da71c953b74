"""`hyperspace report`: arms compared, with what so few seeds can and cannot show."""

import argparse
import sys
from pathlib import Path

from hyperspace.reporting.command_line import add_json

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
    parser.add_argument(
        "--csv",
        type=Path,
        metavar="FILE",
        help="write the score of every generation, or idea, and the best so far, as a table",
    )
    parser.add_argument("--legend", action="store_true", help="explain each word of it")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the report, and write what was asked for."""
    from hyperspace.cli.printing.streaming import print_json
    from hyperspace.reporting.output import check_targets, write_images, write_page, write_table
    from hyperspace.runs.finding import read_scored
    from replication.report.build import study_of
    from replication.report.outputs.html import report_page
    from replication.report.outputs.plots import figures_for
    from replication.report.outputs.scores_csv import scores_csv
    from replication.report.outputs.text import report_lines

    check_targets(args.html, args.png, args.csv, args.source)
    left_out: list[str] = []
    runs = read_scored(args.source, left_out)
    study = study_of(runs, str(args.source), against=args.against, left_out=left_out)
    figures = None if args.png is None else figures_for(args.png, study)
    if args.html is not None:
        write_page(args.html, report_page(study))
    if args.csv is not None:
        write_table(args.csv, scores_csv(study))
    if args.png is not None and figures is not None:
        write_images(args.png, figures)
    if args.json:
        print_json(study.report)
    else:
        sys.stdout.writelines(f"{line}\n" for line in report_lines(study, legend=args.legend))
        if not args.legend:
            sys.stdout.write("\n--legend explains each word of it\n")
    return 0
