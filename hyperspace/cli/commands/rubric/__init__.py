"""`hyperspace rubric`: a model drafts facts that answers are graded by, for a person to review."""

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hyperspace.cli.arguments.declared import add_options
from hyperspace.cli.commands.rubric.options import RubricOptions
from hyperspace.reporting.command_line import add_json

if TYPE_CHECKING:
    from hyperspace.cli.commands.rubric.drafting import Drafts

SUMMARY = "let a model draft the facts that answers are graded by, for a person to review"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "folder",
        type=Path,
        metavar="DIR",
        help="folder with knowledge.md and knowledge_qa.csv; rubric.csv is put there",
    )
    add_options(parser, "rubric", (RubricOptions,))
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Draft facts for every question that has none; 1 if a question is left without."""
    from hyperspace.cli.arguments.declared import values
    from hyperspace.cli.commands.rubric.drafting import Drafts, draft
    from hyperspace.cli.printing.streaming import print_json, tell_line
    from hyperspace.kernel.run.interrupts import run_interruptible

    options = RubricOptions(**values(args, RubricOptions, "rubric"))
    drafts = Drafts()
    run_interruptible(partial(draft, args.folder, options, drafts, tell_line))
    if args.json:
        print_json(drafts)
    else:
        _print(drafts, args.folder)
    return 1 if drafts.failed else 0


def _print(drafts: "Drafts", folder: Path) -> None:
    from hyperspace.cli.printing.terminal import console

    lines = [
        f"{drafts.facts} facts drafted for {drafts.drafted} questions, {drafts.calls} calls, "
        f"${drafts.usd:.2f}; {drafts.unreviewed} facts of {folder / 'rubric.csv'} wait for a person"
    ]
    lines += [f"no facts for {question!r}: {why}" for question, why in drafts.failed.items()]
    if drafts.unreviewed:
        lines.append(
            "read each, change or delete what is wrong, write yes into the column Reviewed; then "
            f"`hyperspace solo --domain knowledge_qa --data {folder} --model M --judge M`"
        )
    for line in lines:
        console().print(line, markup=False, highlight=False, soft_wrap=True)
