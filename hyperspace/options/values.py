"""How the values of options are read; errors say what would be right."""

import os
import re
from argparse import ArgumentTypeError
from math import isfinite
from pathlib import Path
from string import hexdigits
from typing import Final

from hyperspace.executor.names import NAMES, is_executor, parse_resources

MOST_RUNS: Final = 1_000
MOST_WORKERS: Final = 64  # sandboxes at a time, of a machine that has other work
MOST_SLOTS: Final = 4_096  # jobs on nodes: each holds a connection and a thread here
MOST_LANES: Final = 256  # each holds a sandbox, its pipes and a socket
MOST_REPEATS: Final = 1_000
MOST_REAL: Final = 1e9  # of what can be multiplied, and still be written down
MOST_COUNTED: Final = 999_999_999  # what the name of a generation's folder has room for
LARGEST_SEED: Final = 10**18 - 1  # what reports find: hyperspace/runs/folders.py
HEAD_DIGITS: Final = 64
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,4000}")  # no 1_0, and no digits of other scripts
DEFAULT_CACHE: Final = Path("~/.cache/hyperspace")  # stands for what `cache_folder` finds


def whole_number(text: str) -> int:
    """Parse a whole number, not negative."""
    number = _integer(text)
    if number < 0:
        raise ArgumentTypeError(f"{text} is negative; use 0 or a positive number")
    return number


def positive(text: str, most: int = MOST_COUNTED) -> int:
    """Parse a number of at least 1, and at most of nine digits or what `most` says."""
    number = _integer(text)
    if number < 1:
        raise ArgumentTypeError(f"{text} is not at least 1")
    if number > most:
        raise ArgumentTypeError(f"{text} is more than {most:,}")
    return number


def _integer(text: str) -> int:
    if not _WHOLE.fullmatch(text):
        raise ArgumentTypeError(f"{text[:40]!r} is not a whole number")
    return int(text)


def folder_name(text: str) -> str:
    """Parse a name that a folder of results may have."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}", text):
        raise ArgumentTypeError(
            f"{text!r} names no folder; use at most 100 letters, digits, dots, hyphens and "
            "underscores, with a letter or digit first"
        )
    return text


def port_number(text: str) -> int:
    """Parse the number of a TCP port; 0 is any free one."""
    if not text.isdecimal() or int(text) > 65535:
        raise ArgumentTypeError(f"{text!r} is no port; a port is a number from 0 to 65535")
    return int(text)


def chain_head(text: str) -> str:
    """Parse the head of an audit chain."""
    if len(text) != HEAD_DIGITS or not set(text) <= set(hexdigits):
        raise ArgumentTypeError(f"a head has {HEAD_DIGITS} hexadecimal digits")
    if not text.strip("0"):
        raise ArgumentTypeError("it is the head of an empty chain, which every chain begins with")
    return text.lower()


def sandbox_name(text: str) -> str:
    """Parse the name of a sandbox: one of ours, or one that a program has registered."""
    from guards.sandboxes.choose import names  # not for `--help`, which has to be quick

    if text not in names():
        raise ArgumentTypeError(f"no sandbox is called {text!r}; there are {', '.join(names())}")
    return text


def executor_name(text: str) -> str:
    """Parse the name of an executor."""
    if not is_executor(text):
        raise ArgumentTypeError(f"no executor is called {text!r}; there are {NAMES}")
    return text


def extension_name(text: str) -> str:
    """Parse `FILE.py:NAME?option=value` of an extension; it stays the text that it was."""
    file, _, name = text.partition("?")[0].rpartition(":")
    if not (file.endswith(".py") and name.isidentifier()):
        raise ArgumentTypeError(f"{text!r} names no class in a file; write FILE.py:NAME")
    return text


def slot_text(text: str) -> str:
    """Parse what a slot of an executor holds; it stays the text that it was."""
    try:
        parse_resources(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None
    return text


def run_seed(text: str) -> int:
    """Parse one run seed, as it can stand in a folder's name."""
    return _as_seed(whole_number(text))


def run_seeds(text: str) -> tuple[int, ...]:
    """Parse seeds: one, some with commas between them, or a range A..B with both ends."""
    numbers: list[int] = []
    for part in text.split(","):
        first, dots, last = part.partition("..")
        start = whole_number(first)
        end = whole_number(last) if dots else start
        count = len(numbers) + end - start + 1
        if count > MOST_RUNS:
            raise ArgumentTypeError(
                f"that is {count:,} seeds; a set has at most {MOST_RUNS:,} runs, its arms and "
                "controls included"
            )
        numbers += range(start, end + 1)
    if not numbers or len(set(numbers)) < len(numbers):
        raise ArgumentTypeError(f"{text!r} names no seed, or one twice; try 42..46")
    return tuple(_as_seed(number) for number in numbers)


def minutes(text: str) -> float:
    """Parse a time in minutes, not negative."""
    number = _number(text)
    if number is None:
        raise ArgumentTypeError(f"{text!r} is not a number of minutes")
    if not 0 <= number < float("inf"):
        raise ArgumentTypeError(f"{text} is not 0 or more minutes")
    return number


def above_zero(text: str, most: float = MOST_REAL) -> float:
    """Parse a number above 0, and at most what `most` says."""
    number = _number(text) or 0.0
    if not 0 < number < float("inf"):
        raise ArgumentTypeError(f"{text!r} is no number above 0")
    if number > most:
        raise ArgumentTypeError(f"{text} is more than {most:,.0f}")
    return number


def amount(text: str) -> float | None:
    """Parse a limit: a number from 0 on; None for the word `none`."""
    if text == "none":
        return None
    number = _number(text)
    if number is None or not 0 <= number < float("inf"):
        raise ArgumentTypeError(f"{text!r} is no amount; use a number from 0 on, or none")
    return number


def count(text: str) -> int | None:
    """Parse a limit on tokens."""
    number = amount(text)
    if number is not None and number != int(number):
        raise ArgumentTypeError(f"{text!r} is no whole number of tokens")
    return None if number is None else int(number)


def score_or_none(text: str) -> float | None:
    """Parse a score; None for the word `none`."""
    if text == "none":
        return None
    number = _number(text)
    if number is None or not isfinite(number):
        raise ArgumentTypeError(f"{text!r} is no score; use a number, or none")
    return number


def positive_or_none(text: str) -> int | None:
    """Parse a number of at least 1; None for the word `none`."""
    return None if text == "none" else positive(text)


def calls_budget(text: str) -> int:
    """Parse a budget of model calls, such as 300calls."""
    number, unit = text.rstrip("abcdefghijklmnopqrstuvwxyz"), text.lstrip("0123456789.")
    if number and unit in ("tokens", "usd"):
        raise ArgumentTypeError(
            f"{text!r}: a budget is kept in calls, which every level can end on exactly; name it "
            "as 300calls, and guard tokens and money of each run with --max-tokens and --max-usd"
        )
    if unit not in ("", "calls"):
        raise ArgumentTypeError(f"{text!r} is no budget; name a number of calls, as 300calls")
    return positive(number)


def duration(text: str) -> float | None:
    """Parse a limit on working time, in hours."""
    number = amount(text)
    if number == 0:
        raise ArgumentTypeError("0 hours are no time to work; use more, or none")
    return number


def cache_folder(path: Path | None) -> Path | None:
    """Return the folder for cached replies; where none is named, $XDG_CACHE_HOME/hyperspace."""
    if path is not DEFAULT_CACHE:
        return path
    base = os.environ.get("XDG_CACHE_HOME")
    return Path(base) / "hyperspace" if base else DEFAULT_CACHE.expanduser()


def checked_address(text: str) -> str:
    """Return an address of PostgreSQL that holds no password; what is wrong is said without it."""
    from markspace.errors import PlaceError  # a whole package: command lines do without
    from markspace.stores.places import FORM, SCHEMES, address_of

    if not text.startswith(SCHEMES):
        raise ArgumentTypeError(f"it is not of the form {FORM}")
    try:
        address_of(text)
    except PlaceError as error:
        raise ArgumentTypeError(str(error)) from None
    return text


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _as_seed(number: int) -> int:
    if number > LARGEST_SEED:
        raise ArgumentTypeError(f"{number} is too large for a seed; use up to 18 digits")
    return number
