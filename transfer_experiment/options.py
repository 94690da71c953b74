"""What a person asks for when launching a pair, a fleet that a file describes, or an arena."""

from functools import partial
from typing import Annotated, ClassVar, Final

from hyperspace.options.launch import Kind, LaunchOptions, SetSeed
from hyperspace.options.option import Command, Option
from hyperspace.options.values import calls_budget, folder_name, positive

MOST_OF_A_ROLE: Final = 64
_common: Final[tuple[Command, ...]] = ("arena",)
_arena = partial(Option, kept="identity", commands=_common)
_size = partial(_arena, metavar="N", parse=partial(positive, most=MOST_OF_A_ROLE), common=_common)


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


class ArenaOptions(LaunchOptions, frozen=True, kw_only=True):
    """An arena as asked for on the command line; `arena_fleet` makes a fleet with roles of it."""

    launched_by: ClassVar[Command] = "arena"

    models: Annotated[
        tuple[str, ...],
        _arena(
            "--models",
            "the solvers' models; fewer than solvers take turns",
            metavar="M",
            kind="several",
            finish=tuple,
            default=("offline/climber",),
            default_text="offline/climber, which needs no key",
            common=_common,
        ),
    ]
    tester_models: Annotated[
        tuple[str, ...],
        _arena(
            "--tester-models",
            "the testers' models; fewer than testers take turns",
            metavar="M",
            kind="several",
            finish=tuple,
            default_text="offline/tester, which needs no key",
        ),
    ] = ("offline/tester",)
    domain: Annotated[
        str,
        _arena(
            "--task",
            "a task that has an oracle, such as email_validation",
            metavar="T",
            aliases=("--domain",),
            common=_common,
        ),
    ]
    solvers: Annotated[int, _size("--solvers", "agents that solve the task")] = 4
    testers: Annotated[int, _size("--testers", "agents that make up cases for them")] = 4
    generations: Annotated[
        int,
        _arena(
            "--rounds",
            "rounds, in each of which testers propose cases and solvers improve",
            metavar="R",
            parse=positive,
            default=None,
            default_text="12, or what a budget could pay",
            common=_common,
        ),
    ] = 12
    replace_every: Annotated[
        int,
        _arena(
            "--replace-every",
            "rounds after which the worst of each role falls and a child of the best comes",
            metavar="K",
            parse=positive,
        ),
    ] = 3
    budget: Annotated[
        int | None,
        _arena(
            "--budget",
            "end the search after so many model calls of all agents, such as 300calls, and test "
            "the best; without --rounds there are as many as it could pay",
            metavar="N",
            parse=calls_budget,
            default_text="none",
        ),
    ] = None
    called: Annotated[
        str | None,
        _arena(
            "--name",
            "name of the arena's folder below that of its task",
            metavar="NAME",
            parse=folder_name,
            default_text="arena_4x4, by how many there are",
        ),
    ] = None
    suite: Annotated[
        int,
        _arena(
            "--suite",
            "made-up cases that are live at a time, beside the task's own items",
            metavar="N",
            parse=positive,
        ),
    ] = 60
    seed: SetSeed = 42
    eval_model: Annotated[
        str | None,
        Option(
            "--eval-model",
            "model that task agents call",
            kept="identity",
            metavar="M",
            default_text="the agent's own",
            commands=("arena",),
        ),
    ] = None
