"""Options of the commands that launch runs which say how to launch, and nothing of the runs."""

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from evolution.state.options.fleet import ARMS, Arm
from evolution.state.options.option import LAUNCHES, Option
from evolution.state.options.values import positive


def parse_arms(text: str) -> tuple[Arm, ...]:
    """Parse names of arms with commas between them."""
    names = text.split(",")
    for name in names:
        if name not in ARMS:
            raise ArgumentTypeError(f"no arm {name!r}; there are {', '.join(ARMS)}")
    if len(set(names)) < len(names):
        raise ArgumentTypeError(f"{text} names an arm twice")
    return tuple(arm for name in names for arm in ARMS if arm == name)


class Launching(msgspec.Struct, frozen=True, kw_only=True):
    """How a command launches runs."""

    config: Annotated[
        Path,
        Option(
            "--config",
            "the fleet's file (TOML)",
            kept="identity",
            metavar="FILE",
            common=("fleet",),
            commands=("fleet",),
        ),
    ]
    budget: Annotated[
        tuple[int, int] | None,
        Option(
            "--budget",
            "generations of each agent, in place of --generations",
            kept="identity",
            metavar=("N", "M"),
            parse=positive,
            commands=("pair",),
        ),
    ] = None
    generations_if_new: Annotated[
        int,
        Option(
            "--generations-if-new",
            "for the published modules: generations of a new run that no number is given for",
            metavar="N",
            parse=positive,
            hidden=True,
            commands=("pair", "solo"),
        ),
    ] = 10
    control: Annotated[
        Literal["best_of_n", "aa"] | None,
        Option(
            "--control",
            "play this control of the arm in its place (default: none, the arm itself)",
            group="arm",
            kept="identity",
            commands=("solo",),
        ),
    ] = None
    arms: Annotated[
        tuple[Arm, ...],
        Option(
            "--arms",
            "sharing, none, shuffled, placebo: a run of each",
            group="set",
            kept="identity",
            metavar="ARM,...",
            parse=parse_arms,
            default_text="what the file says",
            common=("fleet",),
            commands=("fleet",),
        ),
    ] = ()
    controls: Annotated[
        bool | None,
        Option(
            "--controls",
            "play best_of_n and aa beside the arm",
            group="set",
            kind="either",
            default_text="with offline models",
            commands=("solo",),
        ),
    ] = None
    parallel: Annotated[
        int | None,
        Option(
            "--parallel",
            "runs at the same time",
            group="set",
            metavar="N",
            parse=positive,
            default_text="cores",
            common=("fleet",),
            commands=("solo", "fleet"),
        ),
    ] = None
    dry_run: Annotated[
        bool,
        Option(
            "--dry-run",
            "forecast calls, tokens, money and time; asks no model and writes nothing",
            group="output",
            common=LAUNCHES,
        ),
    ] = False
    json: Annotated[
        bool,
        Option(
            "--json",
            "print one JSON object and nothing else on standard output",
            group="output",
            common=LAUNCHES,
        ),
    ] = False
    events: Annotated[
        bool,
        Option(
            "--events",
            "print the events of one run and its result as JSON lines, and nothing else",
            group="output",
            commands=("solo", "fleet"),
        ),
    ] = False
