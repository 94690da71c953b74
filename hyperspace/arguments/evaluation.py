"""Options about how candidates are evaluated, shared by the commands that launch runs."""

import argparse

from hyperspace.arguments.common import positive


def add_evaluation(parser: argparse.ArgumentParser) -> None:
    """Declare `--eval-samples`, `--eval-repeats` and `--eval-workers`."""
    parser.add_argument(
        "--eval-samples",
        type=positive,
        metavar="N",
        help="use N items of train and of validation, of each domain, the same ones in every run "
        "(default: all); test stays whole",
    )
    parser.add_argument(
        "--eval-repeats",
        type=positive,
        default=1,
        metavar="K",
        help="evaluate each item K times; a score is the mean of K passes, so that one lucky draw "
        "does not stay the best (default: 1)",
    )
    parser.add_argument(
        "--eval-workers",
        type=positive,
        default=1,
        metavar="N",
        help="let N sandboxes answer items at a time; the result is the same (default: 1)",
    )
