"""Options that several commands share, and how numbers are read."""

import argparse
import os
from pathlib import Path
from typing import Final

GENERATIONS: Final = (
    "generations after generation 0 (default: those of the run that is there; 10 for a new one)"
)
MOST_RUNS: Final = 1_000
LARGEST_SEED: Final = 10**18 - 1  # what reports find: runs/scored/folders.py
DEFAULT_CACHE: Final = Path("~/.cache/hyperspace")  # stands for what `default_cache` finds


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


def add_generations(parser: argparse.ArgumentParser, help_text: str = GENERATIONS) -> None:
    """Declare how long a run is; None where nothing is said."""
    parser.add_argument(
        "--generations",
        "--iterations",
        type=positive,
        metavar="N",
        dest="generations",
        help=help_text,
    )


def add_first_generations(parser: argparse.ArgumentParser) -> None:
    """Declare, for the published modules, what a new run takes where no number is given."""
    parser.add_argument(
        "--generations-if-new", type=positive, default=10, help=argparse.SUPPRESS, metavar="N"
    )


def add_outage(parser: argparse.ArgumentParser) -> None:
    """Declare how long a provider may fail."""
    parser.add_argument(
        "--outage-minutes",
        type=minutes,
        default=10.0,
        metavar="N",
        help="pause the run when a provider has failed for so long (default: 10)",
    )


def minutes(text: str) -> float:
    """Parse a time in minutes, not negative."""
    try:
        number = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of minutes") from None
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not 0 or more minutes")
    return number


def add_cache(parser: argparse.ArgumentParser) -> None:
    """Declare the cache of replies."""
    parser.add_argument(
        "--cache",
        type=Path,
        nargs="?",
        const=DEFAULT_CACHE,
        metavar="DIR",
        help=f"take replies to equal calls from other runs (DIR: default {DEFAULT_CACHE})",
    )
    parser.add_argument(
        "--cache-max-gb",
        type=_above_zero,
        metavar="GB",
        help="keep the cache below this; what was not used for longest goes (default: no bound)",
    )


def default_cache() -> Path:
    """The folder for cached replies where none is named: $XDG_CACHE_HOME/hyperspace."""
    base = os.environ.get("XDG_CACHE_HOME")
    return Path(base) / "hyperspace" if base else DEFAULT_CACHE.expanduser()


def _above_zero(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return number


def positive(text: str) -> int:
    """Parse a number of at least 1."""
    number = whole_number(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number


def seeds(text: str) -> tuple[int, ...]:
    """Parse seeds: one, some with commas between them, or a range A..B with both ends."""
    found: list[int] = []
    for part in text.split(","):
        first, dots, last = part.partition("..")
        start = whole_number(first)
        end = whole_number(last) if dots else start
        _bound(len(found) + end - start + 1)
        found += range(start, end + 1)
    if not found or len(set(found)) < len(found):
        raise argparse.ArgumentTypeError(f"{text!r} names no seed, or one twice; try 42..46")
    return tuple(_as_seed(number) for number in found)


def _bound(count: int) -> None:
    if count > MOST_RUNS:
        raise argparse.ArgumentTypeError(
            f"that is {count:,} seeds; a set has at most {MOST_RUNS:,} runs, its arms and controls "
            "included"
        )


def whole_number(text: str) -> int:
    """Parse a whole number, not negative."""
    try:
        number = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is negative; use 0 or a positive number")
    return number


def seed(text: str) -> int:
    """Parse one run seed, as it can stand in a folder's name."""
    return _as_seed(whole_number(text))


def _as_seed(number: int) -> int:
    if number > LARGEST_SEED:
        raise argparse.ArgumentTypeError(f"{number} is too large for a seed; use up to 18 digits")
    return number
