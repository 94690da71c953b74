"""Options for what a run may spend."""

from functools import partial
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from evolution.state.options.option import LAUNCHES, Command, Option
from evolution.state.options.values import amount, count, duration

RESUMABLE: Final[tuple[Command, ...]] = (*LAUNCHES, "resume")
"""The commands that let a run work, a resume included."""
_limited = partial(
    Option, group="limits", kept="limits", commands=(*RESUMABLE, "research", "rubric")
)


class Spending(msgspec.Struct, frozen=True, kw_only=True):
    """Spending options of a command line; those that are unset stay as at the start before.

    A limit of None lifts it.
    """

    usd: Annotated[
        float | UnsetType | None,
        _limited(
            "--max-usd",
            "money to spend at most, in US dollars, or none",
            metavar="X",
            parse=amount,
            common=LAUNCHES,
        ),
    ] = UNSET
    tokens: Annotated[
        int | UnsetType | None,
        _limited(
            "--max-tokens",
            "tokens to take at most, sent and received, or none",
            metavar="N",
            parse=count,
        ),
    ] = UNSET
    calls: Annotated[
        int | UnsetType | None,
        _limited(
            "--max-calls",
            "model calls to make at most, or none",
            metavar="N",
            parse=count,
        ),
    ] = UNSET
    hours: Annotated[
        float | UnsetType | None,
        _limited(
            "--max-hours",
            "hours to work at most, over all resumes, or none",
            metavar="H",
            parse=duration,
        ),
    ] = UNSET
    prices: Annotated[
        Path | UnsetType,
        _limited(
            "--prices",
            "your own prices (TOML), before those that come along",
            metavar="FILE",
        ),
    ] = UNSET
    allow_unknown_price: Annotated[
        bool | UnsetType,
        _limited(
            "--allow-unknown-price",
            "with --max-usd: count models whose price is not known as free of charge",
            kind="either",
        ),
    ] = UNSET
