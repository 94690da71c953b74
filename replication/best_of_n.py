"""The best-of-N control of an arm: how many candidates it has, and whose control it is."""

from pathlib import Path

import msgspec

from hyperspace.extensions.tournament.tournament import tournaments
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.state.config import read_record_of
from hyperspace.launch.configuration import config_of
from replication.options import SoloOptions


def beside(control: SoloOptions, arm: SoloOptions) -> SoloOptions:
    """A best-of-N control with as many candidates as the arm that it stands beside."""
    return msgspec.structs.replace(control, generations=candidates(arm, arm.generations), arm=arm)


def candidates(arm: SoloOptions, generations: int) -> int:
    """How many candidates so many generations of an arm have: a tournament has two."""
    config = config_of(msgspec.structs.replace(arm, generations=generations), "")
    return generations + tournaments(config, arm.agents()[0])


def require_own(control: SoloOptions, folder: Path, arms_folder: Path) -> None:
    """Refuse to play a best-of-N control on that another arm is compared with.

    It has a length of its own, and its test was seen; with its arm it may become longer.

    Args:
        control: As `beside` made it; any other run is let through.
        folder: Where it lies.
        arms_folder: Where the run of its arm lies.

    Raises:
        RunUsageError: It has another length, and not for the sake of this arm.
        RecordUnreadable: The length of its arm is not known.
    """
    if control.arm is None:
        return
    length = read_record_of(folder).configuration.generations if _is_run(folder) else None
    if length == control.generations:
        return
    if _is_run(arms_folder):  # it may have been extended: then the control has its former length
        config = read_record_of(arms_folder).configuration
        if length in [candidates(control.arm, n) for n in (config.generations, *config.extended)]:
            return
    if length is None:
        return
    raise RunUsageError(
        f"{folder} holds the best of N={length} candidates for another arm, and "
        f"{control.arm.solo.arm} has {control.generations}; play the arm with other --iterations, "
        "with another --experiment, or with --no-controls"
    )


def _is_run(folder: Path) -> bool:
    return (folder / "run_config.json").is_file()
