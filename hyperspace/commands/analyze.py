"""`hyperspace analyze`: who took what from whom in one run or many, and what became of it."""

import argparse
import sys
from pathlib import Path

from hyperspace.arguments import add_json

SUMMARY = "find adoptions, crashes and habits in runs of any writer, with their evidence"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "base",
        type=Path,
        metavar="RUN_OR_BASE",
        help="a run folder, a folder of runs (ours or published), or a table of scores (.csv)",
    )
    parser.add_argument(
        "--rule",
        choices=("published", "causal", "both"),
        default="both",
        help="list adoption events by this rule (default: both, side by side)",
    )
    add_json(parser)
    parser.add_argument("--csv", type=Path, metavar="DIR", help="write the events as tables there")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page with plots there")


def run(args: argparse.Namespace) -> int:
    """Analyse every run that is there, and print or write what was found."""
    from transfer_experiment.analysis import BOTH
    from transfer_experiment.outputs.encoded import to_json, write_tables
    from transfer_experiment.outputs.lines import run_lines, total_lines
    from transfer_experiment.survey import survey

    rules = BOTH if args.rule == "both" else (args.rule,)
    found = survey(args.base, rules)
    if args.csv is not None:
        write_tables(args.csv, found.runs)
    if args.html is not None:
        _write_page(args, found)
    if args.json:
        sys.stdout.write(to_json(found) + "\n")
        return 0
    for line in (line for one in found.runs for line in run_lines(one)):
        print(line)
    for line in total_lines(found.totals):
        print(line)
    return 0
