"""Options of the commands that launch runs which say how to launch, and nothing of the runs."""

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from hyperspace.options.fleet import ARMS, EQUAL_COST, REPEATED
from hyperspace.options.option import WITH_LEVELS, Option
from hyperspace.options.spending import RESUMABLE
from hyperspace.options.values import positive

_FLEET_ARMS: Final = (*ARMS, REPEATED, *EQUAL_COST)


def parse_arms(text: str) -> tuple[str, ...]:
    """Parse names of arms with commas between them; a control may name an agent behind a colon."""
    names = tuple(text.split(","))
    for name in names:
        control, colon, agent = name.partition(":")
        if name not in _FLEET_ARMS and not (control in EQUAL_COST and agent):
            some = f"; {' and '.join(EQUAL_COST)} may name an agent, as copies:NAME" * bool(colon)
            raise ArgumentTypeError(f"no arm {name!r}; there are {', '.join(_FLEET_ARMS)}{some}")
    if len(set(names)) < len(names):
        raise ArgumentTypeError(f"{text} names an arm twice")
    return names


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
    advice_of: Annotated[
        Path | None,
        Option(
            "--advice-of",
            "with --level feedback: tell workers the advice of this finished run of another seed, "
            "which is a control; their own reviewer is asked all the same",
            group="arm",
            kept="identity",
            metavar="RUN",
            default_text="none: what their own reviewer says",
            commands=("solo",),
        ),
    ] = None
    arms: Annotated[
        tuple[str, ...],
        Option(
            "--arms",
            "sharing, none, shuffled, placebo; aa, the file's arm with other random numbers; "
            "copies and alone, controls at equal cost: a run of each",
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
            common=("fleet", "levels"),
            commands=("solo", "fleet", "arena", "levels"),
        ),
    ] = None
    dry_run: Annotated[
        bool,
        Option(
            "--dry-run",
            "forecast calls, tokens, money and time; asks no model and writes nothing",
            group="output",
            common=WITH_LEVELS,
            commands=WITH_LEVELS,
        ),
    ] = False
    detach: Annotated[
        bool,
        Option(
            "--detach",
            "return when the run has begun; it goes on when the terminal is closed, with a log "
            "beside it",
            group="output",
            commands=RESUMABLE,
        ),
    ] = False
    json: Annotated[
        bool,
        Option(
            "--json",
            "print one JSON object and nothing else on standard output",
            group="output",
            common=WITH_LEVELS,
            commands=WITH_LEVELS,
        ),
    ] = False
    events: Annotated[
        bool,
        Option(
            "--events",
            "print the events of one run and its result as JSON lines, and nothing else",
            group="output",
            commands=("solo", "fleet", "arena"),
        ),
    ] = False
    of_set: Annotated[
        bool,
        Option(
            "--of-set",
            "for the processes of a set, which tells itself what came to nothing",
            group="output",
            hidden=True,
            commands=("solo", "fleet", "arena"),
        ),
    ] = False
