"""Options for what a run may spend, and for where it ends."""

from functools import partial
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, UnsetType

from hyperspace.options.option import LAUNCHES, Command, Option
from hyperspace.options.values import (
    amount,
    count,
    duration,
    positive_or_none,
    score_or_none,
)

RESUMABLE: Final[tuple[Command, ...]] = (*LAUNCHES, "resume")
"""The commands that let a run work, a resume included."""
_limited = partial(
    Option, group="limits", kept="limits", commands=(*RESUMABLE, "research", "rubric")
)


_ending = partial(
    Option, group="ending", kept="limits", commands=("pair", "solo", "fleet", "resume")
)


class Spending(msgspec.Struct, frozen=True, kw_only=True):
    """What a start says of limits, prices and the end; what is unset stays as at the one before.

    None lifts a limit.
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
    target_score: Annotated[
        float | UnsetType | None,
        _ending(
            "--target-score",
            "end when an agent's best has this validation score, or none",
            metavar="S",
            parse=score_or_none,
        ),
    ] = UNSET
    patience: Annotated[
        int | UnsetType | None,
        _ending(
            "--patience",
            "end when no agent had a new best in its last N generations, or none",
            metavar="N",
            parse=positive_or_none,
        ),
    ] = UNSET
