"""The common part of the analysis modules: read BASE, analyse, print lines or JSON."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from hyperspace.kernel.errors import RunError, RunUsageError
from hyperspace.reporting.command_line import Parser, program
from transfer_experiment.outputs.encoded import to_json
from transfer_experiment.survey import RunsSurvey, survey

RESULTS = Path("results")


def main(
    about: str | None, argv: Sequence[str], lines: Callable[[RunsSurvey], Iterator[str]]
) -> int:
    """Run one analysis module; 0 done, 1 failed, 2 used wrongly.

    Args:
        about: The module's docstring, shown by --help.
        argv: The command line after the module's name.
        lines: Makes what is printed without --json.
    """
    parser = Parser(prog=program(), description=about)
    parser.add_argument(
        "base",
        nargs="?",
        type=Path,
        default=RESULTS,
        help="a run, a folder of runs or a table of scores (default: results)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    args = parser.parse_args(argv)
    try:
        report = survey(args.base)
    except RunError as error:
        sys.stderr.write(f"{error}\n")
        return 2 if isinstance(error, RunUsageError) else 1
    for line in [to_json(report)] if args.json else lines(report):
        sys.stdout.write(f"{line}\n")
    return 0
