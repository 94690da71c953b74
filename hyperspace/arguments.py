"""Options that several commands share, and how numbers are read."""

import argparse
from pathlib import Path


def add_run(parser: argparse.ArgumentParser) -> None:
    """Declare the run folder."""
    parser.add_argument("run", type=Path, metavar="RUN", help="run folder, results/.../seed<n>")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Declare the machine-readable form."""
    parser.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object and nothing else on standard output",
    )


def positive(text: str) -> int:
    """Parse a number of at least 1."""
    number = whole_number(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number


def whole_number(text: str) -> int:
    """Parse a whole number, not negative."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is negative; use 0 or a positive number")
    return number
