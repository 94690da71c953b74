"""The arms of a fleet: what is played beside it, with the same seeds and at the same cost.

An arm of `ARMS` changes what agents are shown, `aa` repeats the file's own arm on other streams of
random numbers, and the two controls at equal cost play one of the fleet's models without peers.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from hyperspace.kernel.errors import RunUsageError
from hyperspace.options.fleet import (
    ARMS,
    EQUAL_COST,
    REPEATED,
    EqualCost,
    FleetTerms,
    Sharing,
)
from transfer_experiment.fleet_file import FleetFile
from transfer_experiment.options import FleetOptions


class FleetArm(msgspec.Struct, frozen=True):
    """One arm of a fleet.

    Attributes:
        name: As `--arms` names it alone, such as `placebo` or `copies:magpie`.
        run_name: Name of its runs in the results tree.
        fleet: Who plays in it.
        terms: How they live together.
    """

    name: str
    run_name: str
    fleet: FleetFile
    terms: FleetTerms


def fleet_arms(fleet: FleetFile, names: Sequence[str]) -> list[FleetArm]:
    """Return the arms that a command line names, each once.

    Args:
        fleet: As its file describes it.
        names: Those of `hyperspace.cli.arguments.launching.parse_arms`; a control at equal cost
            without an agent's name stands for one of each model. Empty takes the file's arm.

    Raises:
        RunUsageError: An arm does nothing under the file's other terms, or names no agent of it.
    """
    arms = [arm for name in names or [fleet.sharing.arm] for arm in _arms(fleet, name)]
    return list({arm.name: arm for arm in arms}.values())


def fleet_options(
    arms: Sequence[FleetArm], seeds: Sequence[int], **options: Any
) -> list[FleetOptions]:
    """The runs of a set: each arm with each seed, the arms of one seed after each other.

    Args:
        arms: From `fleet_arms`.
        seeds: Run seeds.
        **options: The other fields of `LaunchOptions`, but for what the file says.
    """
    return [
        FleetOptions(
            models=arm.fleet.models,
            names=arm.fleet.names,
            fleet=arm.terms,
            domain=arm.fleet.domain,
            generations=arm.fleet.longest,
            seed=seed,
            eval_model=arm.fleet.eval_model,
            fallback=arm.fleet.fallback,
            called=arm.run_name,
            arm=arm.name,
            **options,
        )
        for seed in seeds
        for arm in arms
    ]


def _arms(fleet: FleetFile, name: str) -> Iterator[FleetArm]:
    control, _, agent = name.partition(":")
    for shown in ARMS:
        if name == shown:
            run_name = fleet.name if shown == "sharing" else f"{fleet.name}_{shown}"
            yield FleetArm(name, run_name, fleet, fleet.terms(shown))
    if name == REPEATED:
        (own,) = _arms(fleet, fleet.sharing.arm)
        terms = msgspec.structs.replace(own.terms, stream=REPEATED)
        yield FleetArm(name, f"{own.run_name}_{REPEATED}", fleet, terms)
    for equal_cost in EQUAL_COST:
        if control == equal_cost:
            for seat in _seats_of(fleet, control, agent):
                yield _at_equal_cost(fleet, equal_cost, seat)


def _seats_of(fleet: FleetFile, control: str, agent: str) -> list[int]:
    """Return the first agent on each model, by number; or of these the one that is named."""
    first = {model: number for number, model in reversed([*enumerate(fleet.models)])}
    seats = sorted(first.values())
    names = {fleet.names[number]: number for number in seats}
    if control == "copies" and len(seats) == 1:
        raise RunUsageError(
            f"fleet {fleet.name}: all agents are on one model, so the arm 'copies' would be the "
            "arm 'none'; leave it out"
        )
    if agent and agent not in names:
        raise RunUsageError(
            f"fleet {fleet.name}: the arm '{control}:{agent}' names no agent; there are "
            f"{', '.join(names)}"
        )
    return [names[agent]] if agent else seats


def _at_equal_cost(fleet: FleetFile, control: EqualCost, number: int) -> FleetArm:
    """Put one agent in the place of all: as often as there were agents, or once for as long."""
    name, seats = fleet.names[number], fleet.seats
    budgets = [member.generations for member in fleet.members]
    changes = [{"budget": budget, "island": ""} for budget in budgets]
    if control == "alone":
        changes = [{"budget": sum(budgets), "island": ""}]
    only = msgspec.structs.replace(seats[number], name=name, count=1)
    played = msgspec.structs.replace(
        fleet,
        agents=tuple(msgspec.structs.replace(only, **change) for change in changes),
        schedule="concurrent" if fleet.schedule == "concurrent" else "alternating",
        islands=None,
        sharing=Sharing(arm="none"),
    )
    terms = msgspec.structs.replace(played.terms("none"), equal_cost=control)
    return FleetArm(f"{control}:{name}", f"{fleet.name}_{control}_{name}", played, terms)
