"""A fleet: any number of agents on any models, described by a file (docs/guide/fleets.md)."""

from collections.abc import Sequence
from typing import Any

from evolution.state.options.fleet import Arm
from transfer_experiment.fleet_file import FleetFile
from transfer_experiment.options import FleetOptions


def fleet_options(
    fleet: FleetFile, arms: Sequence[Arm], seeds: Sequence[int], **options: Any
) -> list[FleetOptions]:
    """The runs of a fleet: each arm with each seed, the arms of one seed after each other.

    Args:
        fleet: As its file describes it.
        arms: What agents are shown, one value a run; empty takes the file's.
        seeds: Run seeds.
        **options: The other fields of `LaunchOptions`, but for what the file says.

    Raises:
        RunUsageError: An arm does not fit the file.
    """
    return [
        FleetOptions(
            models=fleet.models,
            names=fleet.names,
            fleet=fleet.terms(arm),
            domain=fleet.domain,
            generations=fleet.longest,
            seed=seed,
            eval_model=fleet.eval_model,
            fallback=fleet.fallback,
            called=run_name(fleet.name, arm),
            arm=arm,
            **options,
        )
        for seed in seeds
        for arm in (arms or [fleet.sharing.arm])
    ]


def run_name(name: str, arm: Arm) -> str:
    """The run name of an arm: the fleet's own for `sharing`, with the arm behind it for others."""
    return name if arm == "sharing" else f"{name}_{arm}"
