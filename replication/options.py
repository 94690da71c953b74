"""What a person asks for when launching a solo run."""

from pathlib import Path
from typing import ClassVar

import msgspec

from evolution.config import Kind, RunConfig, read_record_of
from evolution.errors import RunUsageError
from evolution.launch.options import LaunchOptions, options_of
from evolution.solo import SoloTerms


class SoloOptions(LaunchOptions, frozen=True, kw_only=True):
    """A solo run as asked for on the command line.

    Attributes:
        models: The one model, as people write it.
        solo: What makes it its arm.
    """

    kind: ClassVar[Kind] = "solo"

    models: tuple[str]
    solo: SoloTerms

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


def solo_options_of(run: Path) -> SoloOptions:
    """The options that a solo run was started with, read from its folder.

    Raises:
        RunUsageError: There is no solo run in this folder.
    """
    solo = read_record_of(run).configuration.solo
    if solo is None:
        raise RunUsageError(f"{run} holds no solo run")
    return options_of(run, SoloOptions, solo=solo)
