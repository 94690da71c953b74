"""Options that commands share beside those that launch runs."""

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
