"""`hyperspace analyze`: who took what from whom in one run or many, and what became of it."""

import argparse
from pathlib import Path

from hyperspace.reporting.command_line import add_json

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
    from hyperspace.reporting.output import say_written, write_page
    from transfer_experiment.analysis import BOTH
    from transfer_experiment.outputs.document import AnalysisPage
    from transfer_experiment.outputs.encoded import to_json, write_tables
    from transfer_experiment.outputs.lines import survey_lines
    from transfer_experiment.outputs.targets import check_targets
    from transfer_experiment.survey import survey

    check_targets(args.html, args.csv, args.base)
    rules = BOTH if args.rule == "both" else (args.rule,)
    page: Path | None = args.html
    document = AnalysisPage() if page else None
    report = survey(args.base, rules, each=document.add if document else None)
    if args.csv is not None:
        write_tables(args.csv, report.runs)
        say_written(args.csv)
    if page is not None and document is not None:
        write_page(page, document.html(report.totals))
    for line in [to_json(report)] if args.json else survey_lines(report):
        print(line)
    return 0
