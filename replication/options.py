"""What a person asks for when launching a solo run."""

from typing import Annotated, ClassVar

from hyperspace.options.launch import Kind, LaunchOptions, SetSeed
from hyperspace.options.option import Option
from hyperspace.options.solo import SoloTerms


class SoloOptions(LaunchOptions, frozen=True, kw_only=True):
    """A solo run as asked for on the command line.

    Attributes:
        solo: What makes it its arm.
        arm: The arm whose best-of-N control this is, as it would be played; None for all else.
    """

    kind: ClassVar[Kind] = "solo"

    models: Annotated[
        tuple[str],
        Option(
            "--model",
            "the agent's model",
            kept="identity",
            metavar="M",
            default="offline/climber",
            default_text="offline/climber, which needs no key",
            common=("solo",),
            commands=("solo",),
        ),
    ]
    domain: Annotated[
        str,
        Option(
            "--domain",
            "the task: repo_quality, imo_grading, FILE.py:NAME, or several joined by +; needed, "
            "unless --experiment is the name of one",
            kept="identity",
            metavar="D",
            default=None,
            common=("solo",),
            commands=("solo",),
        ),
    ]
    seed: SetSeed = 42
    reviewer: Annotated[
        str | None,
        Option(
            "--reviewer",
            "with --level feedback: the model that reviews each try",
            group="arm",
            kept="identity",
            metavar="M",
            default_text="the agent's own",
            common=("levels",),
            commands=("solo", "levels"),
        ),
    ] = None
    solo: SoloTerms
    arm: "SoloOptions | None" = None

    def name(self) -> str:
        """Name of the run below its domain: <experiment>/<arm>."""
        return f"{self.solo.experiment}/{self.solo.arm}"
