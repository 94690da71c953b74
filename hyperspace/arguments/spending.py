"""What a run may spend, as said on a command line."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evolution.state.terms import AskedTerms

_LIMITS = ("usd", "tokens", "hours")


def add_terms(parser: argparse.ArgumentParser) -> None:
    """Declare limits and prices; what is not given is absent from the parsed arguments."""
    limits = parser.add_argument_group(
        "limits", "reaching one pauses the run; a resume keeps those that it does not name"
    )
    for name, metavar, text, kind in (
        ("usd", "X", "money to spend at most, in US dollars, or none", _amount),
        ("tokens", "N", "tokens to take at most, sent and received, or none", _count),
        ("hours", "H", "hours to work at most, over all resumes, or none", _duration),
    ):
        limits.add_argument(
            f"--max-{name}", type=kind, metavar=metavar, default=argparse.SUPPRESS, help=text
        )
    limits.add_argument(
        "--prices",
        type=Path,
        metavar="FILE",
        default=argparse.SUPPRESS,
        help="your own prices (TOML), before those that come along",
    )
    limits.add_argument(
        "--allow-unknown-price",
        action=argparse.BooleanOptionalAction,
        default=argparse.SUPPRESS,
        help="with --max-usd: count models whose price is not known as free of charge",
    )


def add_dry_run(parser: argparse.ArgumentParser) -> None:
    """Declare the forecast."""
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="forecast calls, tokens, money and time; asks no model and writes nothing",
    )


def asked_terms(args: argparse.Namespace) -> "AskedTerms":
    """What a parsed command line says about spending."""
    from evolution.state.terms import AskedTerms

    given = vars(args)
    asked = {name: given[f"max_{name}"] for name in _LIMITS if f"max_{name}" in given}
    others = {name: given[name] for name in ("prices", "allow_unknown_price") if name in given}
    return AskedTerms(**asked, **others)


def _amount(text: str) -> float | None:
    if text == "none":
        return None
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no amount; use a number from 0 on, or none")
    return number


def _count(text: str) -> int | None:
    number = _amount(text)
    if number is None:
        return None
    if number != int(number):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of tokens")
    return int(number)


def _duration(text: str) -> float | None:
    number = _amount(text)
    if number == 0:
        raise argparse.ArgumentTypeError("0 hours are no time to work; use more, or none")
    return number
