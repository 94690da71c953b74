"""What a person asks for when launching a run of any kind, and the names that follow from it.

A new option is a field here, declared by its annotation; `Team.options` and `Setup.options` hand it
to the place that uses it (CONTRIBUTING.md).
"""

from pathlib import Path
from typing import Annotated, ClassVar, Literal, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from agents.models.names import slug
from agents.workspace.visibility import Visibility, parse_visibility
from domains.base import Domain
from domains.naming import dedupe_names
from evolution.state.options.fleet import FleetTerms
from evolution.state.options.option import LAUNCHES, Option
from evolution.state.options.values import (
    DEFAULT_CACHE,
    above_zero,
    amount,
    cache_folder,
    count,
    duration,
    minutes,
    positive,
    run_seed,
    run_seeds,
    sandbox_name,
)
from guards.content.modes import Mode, all_modes, parse_mode

Kind = Literal["pair", "fleet", "solo"]
Fallback = Literal["best", "previous", "none"]
KeepTraces = Literal["all", "best", "none"]
Part = Literal["task", "meta"]
SetSeed = Annotated[
    int,
    Option(
        "--seeds",
        "one run seed, or a set of runs: 42..46 or 42,43,50",
        kept="identity",
        metavar="A..B",
        parse=run_seeds,
        default=(42,),
        default_text="42",
        aliases=("--seed",),
        common=LAUNCHES,
    ),
]
"""The seed of a run that may be one of a set."""


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """What a run starts from, beside a person's folder; empty for the seed."""

    run: Annotated[
        str | None,
        Option(
            "--from-run",
            "start every agent from a generation of another run (default: the agent's best)",
            group="start",
            kept="content",
            metavar="RUN[#AGENT][/gen_N]",
            default_text="",
        ),
    ] = None
    patches: Annotated[
        tuple[Path, ...],
        Option(
            "--start-from",
            "apply a unified diff, or each *.diff and *.patch of a folder; repeatable",
            group="start",
            kept="content",
            metavar="PATCHES",
            parse=Path,
            kind="repeated",
            finish=tuple,
        ),
    ] = ()
    reset: Annotated[
        Part | None,
        Option(
            "--reset",
            "put task_agent.py or meta_agent.py back to the seed afterwards",
            group="start",
            kept="content",
            choices=("task", "meta"),
        ),
    ] = None


class Spending(msgspec.Struct, frozen=True, kw_only=True):
    """What a command line says about spending; what is unset holds on from the start before.

    A limit of None lifts it.
    """

    usd: Annotated[
        float | UnsetType | None,
        Option(
            "--max-usd",
            "money to spend at most, in US dollars, or none",
            group="limits",
            kept="limits",
            metavar="X",
            parse=amount,
            common=LAUNCHES,
            commands=("pair", "solo", "fleet", "resume"),
        ),
    ] = UNSET
    tokens: Annotated[
        int | UnsetType | None,
        Option(
            "--max-tokens",
            "tokens to take at most, sent and received, or none",
            group="limits",
            kept="limits",
            metavar="N",
            parse=count,
            commands=("pair", "solo", "fleet", "resume"),
        ),
    ] = UNSET
    hours: Annotated[
        float | UnsetType | None,
        Option(
            "--max-hours",
            "hours to work at most, over all resumes, or none",
            group="limits",
            kept="limits",
            metavar="H",
            parse=duration,
            commands=("pair", "solo", "fleet", "resume"),
        ),
    ] = UNSET
    prices: Annotated[
        Path | UnsetType,
        Option(
            "--prices",
            "your own prices (TOML), before those that come along",
            group="limits",
            kept="limits",
            metavar="FILE",
            parse=Path,
            commands=("pair", "solo", "fleet", "resume"),
        ),
    ] = UNSET
    allow_unknown_price: Annotated[
        bool | UnsetType,
        Option(
            "--allow-unknown-price",
            "with --max-usd: count models whose price is not known as free of charge",
            group="limits",
            kept="limits",
            kind="either",
            commands=("pair", "solo", "fleet", "resume"),
        ),
    ] = UNSET


class LaunchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """A run as asked for on the command line; each kind of run adds to it.

    Attributes:
        models: One model for each agent, as people write them.
        names: One name for each agent; empty names them after their models.
        fleet: How the agents live together; None for the terms of a plain pair.
        run: The run's folder, if it is known; None: its place in the results tree.
        command: The command line, for the record.
    """

    kind: ClassVar[Kind] = "pair"

    models: tuple[str, ...]
    names: tuple[str, ...] = ()
    fleet: FleetTerms | None = None
    domain: Annotated[
        str,
        Option(
            "--domain",
            "repo_quality, imo_grading, FILE.py:NAME, or several joined by +",
            kept="identity",
            common=("pair",),
            commands=("pair",),
        ),
    ]
    data: Annotated[
        Path | None,
        Option(
            "--data",
            "folder with the domain's data",
            kept="content",
            metavar="DIR",
            parse=Path,
            default_text="none",
        ),
    ] = None
    generations: Annotated[
        int,
        Option(
            "--generations",
            "generations after generation 0",
            kept="identity",
            metavar="N",
            parse=positive,
            default=None,
            default_text="those of the run that is there; 10 for a new one",
            aliases=("--iterations",),
            common=("pair", "solo"),
            commands=("pair", "solo"),
        ),
    ] = 10
    seed: Annotated[
        int,
        Option(
            "--seed",
            "run seed",
            kept="identity",
            metavar="N",
            parse=run_seed,
            common=("pair",),
            commands=("pair",),
        ),
    ] = 42
    eval_model: Annotated[
        str | None,
        Option(
            "--eval-model",
            "model that task agents call",
            kept="identity",
            metavar="M",
            default_text="the agent's own",
            common=("pair",),
            commands=("pair", "solo"),
        ),
    ] = None
    initial: Annotated[
        Path | None,
        Option(
            "--initial",
            "start every agent from the code in DIR",
            group="start",
            kept="content",
            metavar="DIR",
            parse=Path,
        ),
    ] = None
    start: Start = Start()
    fallback: Annotated[
        Fallback,
        Option(
            "--fallback",
            "parent after a failure: the best, the latest valid one, or what failed itself",
            group="evaluation",
            kept="identity",
            choices=("best", "previous", "none"),
            commands=("pair",),
        ),
    ] = "best"
    eval_samples: Annotated[
        int | None,
        Option(
            "--eval-samples",
            "use N items of train and of validation, of each domain, the same ones in every run "
            "(default: all); test stays whole",
            group="evaluation",
            kept="identity",
            metavar="N",
            parse=positive,
            default_text="",
        ),
    ] = None
    eval_repeats: Annotated[
        int,
        Option(
            "--eval-repeats",
            "evaluate each item K times; a score is the mean of K passes, so that one lucky draw "
            "does not stay the best",
            group="evaluation",
            kept="identity",
            metavar="K",
            parse=positive,
            scales="calls",
        ),
    ] = 1
    eval_workers: Annotated[
        int,
        Option(
            "--eval-workers",
            "let N sandboxes answer items at a time; the result is the same",
            group="evaluation",
            kept="record",
            metavar="N",
            parse=positive,
            scales="workers",
        ),
    ] = 1
    policies: Annotated[
        dict[str, Mode],
        Option(
            "--policy",
            "secrets, growth, stop_signals, score_claims or peer_instructions = flag, rewrite, "
            "reject or off; repeatable",
            group="guard",
            kept="identity",
            metavar="NAME=MODE",
            parse=parse_mode,
            kind="repeated",
            default_text="secrets=reject, the others flag",
            finish=all_modes,
        ),
    ] = msgspec.field(default_factory=all_modes)
    visible: Annotated[
        Visibility,
        Option(
            "--visible",
            "what agents see of their results: train=full|scores|none,val=scores|none,test=none",
            group="guard",
            kept="identity",
            metavar="SPLIT=DEGREE,...",
            parse=parse_visibility,
            default_text="train=full,val=scores,test=none",
        ),
    ] = Visibility()
    sandbox: Annotated[
        str,
        Option(
            "--sandbox",
            "where code of agents runs: auto, bubblewrap, docker, bubblewrap-cold or process",
            group="guard",
            kept="record",
            metavar="NAME",
            parse=sandbox_name,
            default_text="auto, the best that hyperspace doctor finds",
            common=("pair", "fleet"),
        ),
    ] = "auto"
    terms: Spending = Spending()
    outage_minutes: Annotated[
        float,
        Option(
            "--outage-minutes",
            "pause the run when a provider has failed for so long",
            group="limits",
            metavar="N",
            parse=minutes,
            commands=("pair", "solo", "fleet", "resume"),
        ),
    ] = 10.0
    results: Annotated[
        Path,
        Option(
            "--results",
            "folder that runs are put into",
            group="results",
            metavar="DIR",
            parse=Path,
            common=LAUNCHES,
        ),
    ] = Path("results")
    run: Path | None = None
    command: tuple[str, ...] = ()
    cache: Annotated[
        Path | None,
        Option(
            "--cache",
            f"take replies to equal calls from other runs (DIR: default {DEFAULT_CACHE})",
            group="results",
            kept="record",
            metavar="DIR",
            parse=Path,
            const=DEFAULT_CACHE,
            finish=cache_folder,
        ),
    ] = None
    cache_max_gb: Annotated[
        float | None,
        Option(
            "--cache-max-gb",
            "keep the cache below this; what was not used for longest goes",
            group="results",
            kept="record",
            metavar="GB",
            parse=above_zero,
            default_text="no bound",
        ),
    ] = None
    keep_traces: Annotated[
        KeepTraces,
        Option(
            "--keep-traces",
            "which traces stay when the run is finished; a run without them cannot be replayed",
            group="results",
            kept="record",
            choices=("all", "best", "none"),
        ),
    ] = "all"
    otel: Annotated[
        bool,
        Option(
            "--otel",
            "send a span for each model call to OTEL_EXPORTER_OTLP_ENDPOINT, without its texts",
            group="output",
            kind="switch",
            const=True,
        ),
    ] = False

    def agents(self) -> tuple[str, ...]:
        """Names of the agents, in turn order."""
        return self.names or agent_names(self.models)

    def budgets(self) -> tuple[int, ...]:
        """Number of each agent's last generation, in turn order."""
        if self.fleet is None:
            return (self.generations,) * len(self.models)
        return tuple(member.generations for member in self.fleet.members)

    def name(self) -> str:
        """Name of the run below its domain in the results tree."""
        return "_vs_".join(self.agents())

    def folder(self, domain: Domain) -> Path:
        """Where the run lies: results/<domain>/<name>/seed<n>."""
        return self.run or self.results / domain.name / self.name() / f"seed{self.seed}"


AnyOptions = TypeVar("AnyOptions", bound=LaunchOptions)


def agent_names(models: tuple[str, ...]) -> tuple[str, ...]:
    """Agent names: slugs of the model names; repeats get `_b`, `_c`, after `_z` `_aa`."""
    return dedupe_names(map(slug, models))
