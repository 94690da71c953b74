"""Options for launching a run of any kind, and the names that follow from them.

A new option is a field here, declared by its annotation; `Team.options` and `Setup.options` hand it
to the place that uses it (CONTRIBUTING.md).
"""

from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar, Literal, TypeVar

import msgspec

from guards.content.modes import Mode, all_modes, parse_mode
from hyperspace.executor.names import parse_resources
from hyperspace.executor.resources import Resources
from hyperspace.models.names import slug
from hyperspace.options.fleet import FleetTerms
from hyperspace.options.option import WITH_LEVELS, Option
from hyperspace.options.spending import RESUMABLE, Spending
from hyperspace.options.start import Start, from_code, seed_agent_option
from hyperspace.options.values import (
    DEFAULT_CACHE,
    MOST_LANES,
    MOST_REPEATS,
    MOST_SLOTS,
    MOST_WORKERS,
    above_zero,
    cache_folder,
    checked_address,
    executor_name,
    extension_name,
    minutes,
    positive,
    run_seed,
    run_seeds,
    sandbox_name,
    slot_text,
)
from hyperspace.tasks.base import Domain
from hyperspace.tasks.naming import dedupe_names
from hyperspace.workspace.seed_agent import PUBLISHED
from hyperspace.workspace.visibility import Visibility, parse_visibility

_played = partial(Option, kept="identity")
_evaluated = partial(Option, group="evaluation", kept="identity")
_guarded = partial(Option, group="guard", kept="identity")
_kept = partial(Option, group="results", kept="record")

Kind = Literal["pair", "fleet", "solo"]
Fallback = Literal["best", "previous", "none"]
KeepTraces = Literal["all", "best", "none"]
SetSeed = Annotated[
    int,
    _played(
        "--seeds",
        "one run seed, or a set of runs: 42..46 or 42,43,50",
        metavar="A..B",
        parse=run_seeds,
        default=(42,),
        default_text="42",
        aliases=("--seed",),
        common=WITH_LEVELS,
        commands=WITH_LEVELS,
    ),
]
"""The seed of a run that may be one of a set."""


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
        _played(
            "--domain",
            "a name that hyperspace domains lists, FILE.py:NAME, a folder of three files, or "
            "several joined by +",
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
            default_text="none",
        ),
    ] = None
    generations: Annotated[
        int,
        _played(
            "--generations",
            "generations after generation 0",
            metavar="N",
            parse=positive,
            default=None,
            default_text="those of the run that is there; 10 for a new one",
            aliases=("--iterations",),
            common=("pair", "solo"),
            commands=("pair", "solo", "resume"),
        ),
    ] = 10
    lanes: Annotated[
        int | None,
        _played(
            "--lanes",
            f"make N generations at a time, at most {MOST_LANES}: of agents at their own pace, or "
            "children of a solo arm's archive, which then see what was closed when they began",
            metavar="N",
            parse=partial(positive, most=MOST_LANES),
            default_text="8 for agents at their own pace; 1 for a solo arm",
            commands=("solo", "fleet"),
        ),
    ] = None
    seed: Annotated[
        int,
        _played(
            "--seed", "run seed", metavar="N", parse=run_seed, common=("pair",), commands=("pair",)
        ),
    ] = 42
    eval_model: Annotated[
        str | None,
        _played(
            "--eval-model",
            "model that task agents call",
            metavar="M",
            default_text="the agent's own",
            common=("pair",),
            commands=("pair", "solo", "levels"),
        ),
    ] = None
    judge: Annotated[
        str | None,
        _evaluated(
            "--judge",
            "model that grades the answers of a task that needs a judge",
            metavar="M",
            default_text="none",
            commands=WITH_LEVELS,
        ),
    ] = None
    initial: Annotated[
        Path | None,
        from_code("--initial", "start every agent from the code in DIR", metavar="DIR"),
    ] = None
    start: Start = Start()
    seed_agent: Annotated[
        str | None,
        seed_agent_option(
            group="start",
            default=None,
            default_text="that of the run that is there; shown for a new one",
            commands=("pair", "fleet"),
        ),
    ] = PUBLISHED
    fallback: Annotated[
        Fallback,
        _evaluated(
            "--fallback",
            "parent after a failure: the best, the latest valid one, or what failed itself",
            commands=("pair",),
        ),
    ] = "best"
    eval_samples: Annotated[
        int | None,
        _evaluated(
            "--eval-samples",
            "use N items of train and of validation, of each domain, the same ones in every run "
            "(default: all); test stays whole",
            metavar="N",
            parse=positive,
            default_text="",
            commands=WITH_LEVELS,
        ),
    ] = None
    eval_repeats: Annotated[
        int,
        _evaluated(
            "--eval-repeats",
            f"evaluate each item K times, at most {MOST_REPEATS:,}; a score is the mean, so that "
            "one lucky draw does not stay the best",
            metavar="K",
            parse=partial(positive, most=MOST_REPEATS),
            scales="calls",
        ),
    ] = 1
    rotate_val: Annotated[
        int | None,
        _evaluated(
            "--rotate-val",
            "draw new validation items every K generations, and score the best so far again on "
            "them, so that a memorised set shows",
            metavar="K",
            parse=positive,
            default_text="never",
        ),
    ] = None
    eval_workers: Annotated[
        int,
        Option(
            "--eval-workers",
            f"let N sandboxes, at most {MOST_WORKERS}, answer items at once; the result stays",
            group="evaluation",
            kept="record",
            metavar="N",
            parse=partial(positive, most=MOST_WORKERS),
            scales="workers",
        ),
    ] = 1
    executor: Annotated[
        str,
        Option(
            "--executor",
            "where blocks of items, and runs of a set, are played: local, ray, or ray://HOST:PORT "
            "(docs/reference/cluster.md); the result stays",
            group="evaluation",
            metavar="NAME",
            parse=executor_name,
            commands=RESUMABLE,
        ),
    ] = "local"
    slots: Annotated[
        int | None,
        Option(
            "--slots",
            "jobs at a time on the nodes of --executor ray",
            group="evaluation",
            metavar="N",
            parse=partial(positive, most=MOST_SLOTS),
            default_text="as many as fit",
            commands=RESUMABLE,
        ),
    ] = None
    slot: Annotated[
        str | None,
        Option(
            "--slot",
            "what each of these jobs holds: cpus=N,gpus=N,memory_gb=N",
            group="evaluation",
            metavar="WHAT",
            parse=slot_text,
            default_text="cpus=1",
            commands=RESUMABLE,
        ),
    ] = None
    policies: Annotated[
        dict[str, Mode],
        _guarded(
            "--policy",
            "secrets, growth, stop_signals, score_claims or peer_instructions = flag, rewrite, "
            "reject or off; repeatable",
            metavar="NAME=MODE",
            parse=parse_mode,
            kind="repeated",
            default_text="secrets=reject, the others flag",
            finish=all_modes,
        ),
    ] = msgspec.field(default_factory=all_modes)
    visible: Annotated[
        Visibility,
        _guarded(
            "--visible",
            "what agents see of their results: train=full|scores|none,"
            "val=scores|rounded|ladder|none,test=none",
            metavar="SPLIT=DEGREE,...",
            parse=parse_visibility,
            default_text="train=full,val=scores,test=none",
        ),
    ] = Visibility()
    needs: Annotated[
        bool,
        _guarded(
            "--needs",
            "give agents a tool that puts questions to you; hyperspace steer RUN answers them",
        ),
    ] = False
    extensions: Annotated[
        tuple[str, ...],
        _played(
            "--extension",
            "ask an extension of your own in each generation: a class in a Python file, which runs "
            "in this process, unconfined (docs/reference/extensions.md); repeatable",
            metavar="FILE.py:NAME",
            parse=extension_name,
            kind="repeated",
            default_text="none",
            finish=tuple,
        ),
    ] = ()
    sandbox: Annotated[
        str,
        Option(
            "--sandbox",
            "where code of agents runs: auto, or a name that hyperspace doctor lists",
            group="guard",
            kept="record",
            metavar="NAME",
            parse=sandbox_name,
            default_text="auto, the best that hyperspace doctor finds",
            common=("pair", "fleet"),
        ),
    ] = "auto"
    trust: Annotated[
        bool,
        Option(
            "--trust",
            "execute a run, or code of one, that was not begun by you here",
            group="guard",
            commands=RESUMABLE,
        ),
    ] = False
    keys_to: Annotated[
        tuple[str, ...],
        Option(
            "--key-to",
            "send keys to this address of a fleet's file or a trusted run; repeatable",
            group="guard",
            metavar="URL",
            kind="repeated",
            finish=tuple,
            commands=("fleet", "resume"),
        ),
    ] = ()
    terms: Spending = Spending()
    outage_minutes: Annotated[
        float,
        Option(
            "--outage-minutes",
            "pause the run when a provider has failed for so long",
            group="limits",
            metavar="N",
            parse=minutes,
            commands=RESUMABLE,
        ),
    ] = 10.0
    results: Annotated[
        Path,
        Option(
            "--results",
            "folder that runs are put into",
            group="results",
            metavar="DIR",
            common=WITH_LEVELS,
            commands=(*RESUMABLE, "levels"),
        ),
    ] = Path("results")
    space: Annotated[
        str | None,
        _kept(
            "--space",
            "keep the run's space in a PostgreSQL database, postgresql://host/database, so that "
            "the run can be gone on with anywhere; ?space=NAME names it, the password comes from "
            "PGPASSWORD or ~/.pgpass",
            metavar="URL",
            parse=checked_address,
            default_text="space.db in the run's folder",
        ),
    ] = None
    run: Path | None = None
    command: tuple[str, ...] = ()
    cache: Annotated[
        Path | None,
        _kept(
            "--cache",
            f"take replies to equal calls from other runs (DIR: default {DEFAULT_CACHE})",
            metavar="DIR",
            const=DEFAULT_CACHE,
            finish=cache_folder,
        ),
    ] = None
    cache_max_gb: Annotated[
        float | None,
        _kept(
            "--cache-max-gb",
            "keep the cache below this; what was not used for longest goes",
            metavar="GB",
            parse=above_zero,
            default_text="no bound",
        ),
    ] = None
    keep_traces: Annotated[
        KeepTraces,
        _kept(
            "--keep-traces",
            "which traces stay when the run is finished; a run without them cannot be replayed",
        ),
    ] = "all"
    share_with_group: Annotated[
        bool,
        Option(
            "--share-with-group",
            "let the group of the run's folder read it; a run that exists keeps the rights it has",
            group="results",
        ),
    ] = False
    anchor: Annotated[
        Path | None,
        Option(
            "--anchor",
            "append the head of the audit chain to FILE, outside the run, after every generation",
            group="results",
            metavar="FILE",
            default_text="none",
            commands=RESUMABLE,
        ),
    ] = None
    otel: Annotated[
        bool,
        Option(
            "--otel",
            "send a span for each model call to OTEL_EXPORTER_OTLP_ENDPOINT, without its texts",
            group="output",
        ),
    ] = False

    def slot_resources(self) -> Resources:
        """Return what a job on a node holds."""
        return Resources() if self.slot is None else parse_resources(self.slot)

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

    def place(self, domain: Domain) -> str:
        """Where the run belongs below a results folder: <domain>/<name>/seed<n>."""
        return f"{domain.name}/{self.name()}/seed{self.seed}"

    def folder(self, domain: Domain) -> Path:
        """Where the run lies."""
        return self.run or self.results / self.place(domain)


AnyOptions = TypeVar("AnyOptions", bound=LaunchOptions)


def agent_names(models: tuple[str, ...]) -> tuple[str, ...]:
    """Agent names: slugs of the model names; repeats get `_b`, `_c`, after `_z` `_aa`."""
    return dedupe_names(map(slug, models))
