"""What a person asks for when launching a solo run."""

from pathlib import Path
from typing import ClassVar

import msgspec

from evolution.errors import RunUsageError
from evolution.generation.tournament import tournaments
from evolution.options.launch import LaunchOptions, options_of
from evolution.options.solo import SoloTerms
from evolution.state.config import Kind, RunConfig, read_record_of


class SoloOptions(LaunchOptions, frozen=True, kw_only=True):
    """A solo run as asked for on the command line.

    Attributes:
        models: The one model, as people write it.
        solo: What makes it its arm.
        arm: The arm whose best-of-N control this is, as it would be played; None for all else.
    """

    kind: ClassVar[Kind] = "solo"

    models: tuple[str]
    solo: SoloTerms
    arm: "SoloOptions | None" = None

    def name(self) -> str:
        """Name of the run below its domain: <experiment>/<arm>."""
        return f"{self.solo.experiment}/{self.solo.arm}"

    def config(self, data_sha256: str, initial_sha256: str | None) -> RunConfig:
        """What decides the result; see `LaunchOptions`.

        Raises:
            RunUsageError: A diagnosis would show what agents are not to see.
        """
        if self.solo.diagnosis and self.visible.train != "full":
            raise RunUsageError(
                f"the arm {self.solo.arm} shows a failed example of train with its answer, and "
                f"--visible says train={self.visible.train}; use train=full or another arm"
            )
        return msgspec.structs.replace(super().config(data_sha256, initial_sha256), solo=self.solo)

    def candidates(self, generations: int) -> int:
        """How many candidates so many generations of it have: a tournament has two."""
        asked = msgspec.structs.replace(self, generations=generations)
        return generations + tournaments(asked.config("", None), self.agents()[0])


def beside(control: SoloOptions, arm: SoloOptions) -> SoloOptions:
    """A best-of-N control with as many candidates as the arm that it stands beside."""
    return msgspec.structs.replace(control, generations=arm.candidates(arm.generations), arm=arm)


def require_own(control: SoloOptions, folder: Path, arms_folder: Path) -> None:
    """Refuse to play a best-of-N control on that another arm is compared with.

    It has a length of its own, and its test was seen; with its arm it may become longer.

    Args:
        control: As `beside` made it; any other run is let through.
        folder: Where it lies.
        arms_folder: Where the run of its arm lies.

    Raises:
        RunUsageError: It has another length, and not for the sake of this arm.
    """
    if control.arm is None or not _is_run(folder):
        return
    found = read_record_of(folder).configuration.generations
    if found == control.generations or found in _lengths(control.arm, arms_folder):
        return
    raise RunUsageError(
        f"{folder} holds the best of N={found} candidates for another arm, and "
        f"{control.arm.solo.arm} has {control.generations}; play the arm with other --iterations, "
        "with another --experiment, or with --no-controls"
    )


def _lengths(arm: SoloOptions, folder: Path) -> tuple[int, ...]:
    """How many candidates the arm's run has, and had before it was extended."""
    if not _is_run(folder):
        return ()
    config = read_record_of(folder).configuration
    return tuple(map(arm.candidates, (config.generations, *config.extended)))


def _is_run(folder: Path) -> bool:
    return (folder / "run_config.json").is_file()


def solo_options_of(run: Path) -> SoloOptions:
    """The options that a solo run was started with, read from its folder.

    Raises:
        RunUsageError: There is no solo run in this folder.
    """
    solo = read_record_of(run).configuration.solo
    if solo is None:
        raise RunUsageError(f"{run} holds no solo run")
    return options_of(run, SoloOptions, solo=solo)
