"""What a person asks for when launching a pair, or a fleet that a file describes."""

from typing import Annotated, ClassVar

from evolution.state.options.launch import Kind, LaunchOptions, SetSeed
from evolution.state.options.option import Option
from evolution.state.options.values import positive


class PairOptions(LaunchOptions, frozen=True, kw_only=True):
    """A paired run as asked for on the command line."""

    models: Annotated[
        tuple[str, str],
        Option(
            "--models",
            "claude-..., gpt-..., accounts/fireworks/..., openrouter/..., offline/POLICY, "
            "NAME@http://host:port/v1 (hyperspace models lists them all)",
            kept="identity",
            metavar=("A", "B"),
            finish=tuple,
            common=("pair",),
            commands=("pair",),
        ),
    ]


class FleetOptions(LaunchOptions, frozen=True, kw_only=True):
    """A fleet as asked for by its file and on the command line.

    Attributes:
        called: Name of the run in the results tree.
        arm: As `--arms` names it; what it means is in the terms.
    """

    kind: ClassVar[Kind] = "fleet"

    called: str = ""
    arm: str = "sharing"
    seed: SetSeed = 42
    generations: Annotated[
        int,
        Option(
            "--generations",
            "generations of the agents that have no budget of their own",
            kept="identity",
            metavar="N",
            parse=positive,
            default=None,
            default_text="what the file says",
            aliases=("--iterations",),
            common=("fleet",),
            commands=("fleet",),
        ),
    ] = 10

    def name(self) -> str:
        """Name of the run below its domain in the results tree."""
        return self.called
