"""What a person asks for when launching a run of any kind, and the names that follow from it."""

from pathlib import Path
from typing import Any, ClassVar, TypeVar

import msgspec
from msgspec import UNSET

from agents.models.names import slug
from agents.workspace.visibility import Visibility
from domains.base import Domain
from domains.naming import told_apart
from evolution.export.retention import KeepTraces
from evolution.launch.start import Start
from evolution.options.fleet import FleetTerms
from evolution.state.config import Fallback, Kind, RunConfig, read_record_of
from evolution.state.terms import AskedTerms
from guards.content.modes import Mode, all_modes


class LaunchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """A run as asked for on the command line; each kind of run adds to it.

    Attributes:
        models: One model for each agent, as people write them.
        names: One name for each agent; empty names them after their models.
        fleet: How the agents live together; None for the terms of a plain pair.
        domain: Domain name with options, or FILE.py:NAME.
        data: Folder with the domain's data; None if it needs none.
        generations: Generations after generation 0.
        seed: The run seed.
        eval_model: Model that task agents call; None means each agent's own.
        initial: Folder with the code to start from; None for the seed.
        start: What to start from beside that.
        fallback: Where a parent comes from after a failure.
        policies: Mode of each content policy.
        visible: Which results of evaluation agents see.
        sandbox: A name that `guards.sandboxes.choose` knows, or auto.
        results: Root of the results tree.
        run: The run's folder, if it is known; None: its place in the results tree.
        command: The command line, for the record.
        terms: What it may spend, as far as this start says so.
        outage_minutes: How long a provider may fail before the run pauses; decides no result.
        cache: Folder with replies of other runs; None asks anew.
        cache_max_gb: Bound on that folder in 10^9 bytes; None sets none.
        keep_traces: Which traces are kept when the run is finished.
        otel: Tell an OpenTelemetry collector of each model call.
        eval_samples: How many items of train and of validation are used, of each domain; None
            uses all.
        eval_repeats: How often each item is evaluated; a score is the mean of that many passes.
        eval_workers: How many sandboxes answer items at a time; decides no result.
    """

    kind: ClassVar[Kind] = "pair"

    models: tuple[str, ...]
    names: tuple[str, ...] = ()
    fleet: FleetTerms | None = None
    domain: str
    data: Path | None = None
    generations: int = 10
    seed: int = 42
    eval_model: str | None = None
    initial: Path | None = None
    start: Start = Start()
    fallback: Fallback = "best"
    policies: dict[str, Mode] = msgspec.field(default_factory=all_modes)
    visible: Visibility = Visibility()
    sandbox: str = "auto"
    results: Path = Path("results")
    run: Path | None = None
    command: tuple[str, ...] = ()
    terms: AskedTerms = AskedTerms()
    outage_minutes: float = 10.0
    cache: Path | None = None
    cache_max_gb: float | None = None
    keep_traces: KeepTraces = "all"
    otel: bool = False
    eval_samples: int | None = None
    eval_repeats: int = 1
    eval_workers: int = 1

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

    def config(self, data_sha256: str, initial_sha256: str | None) -> RunConfig:
        """What decides the result.

        Args:
            data_sha256: Hash of the domain's inputs and labels.
            initial_sha256: Hash of the code that replaces the seed's; None for the seed.
        """
        return RunConfig(
            kind=self.kind,
            domain=self.domain,
            data_sha256=data_sha256,
            models=self.models,
            agents=self.agents(),
            eval_model=self.eval_model,
            generations=self.generations,
            seed=self.seed,
            fallback=self.fallback,
            policies=self.policies,
            visible=self.visible,
            initial_sha256=initial_sha256,
            eval_samples=self.eval_samples,
            eval_repeats=self.eval_repeats if self.eval_repeats > 1 else UNSET,
            fleet=self.fleet,
        )


Options = TypeVar("Options", bound=LaunchOptions)


def agent_names(models: tuple[str, ...]) -> tuple[str, ...]:
    """Agent names: slugs of the model names; repeats get `_b`, `_c`, after `_z` `_aa`."""
    return told_apart(map(slug, models))


def options_of(run: Path, kind: type[Options], **more: Any) -> Options:
    """The options that a run was started with, read from its folder.

    Args:
        run: The run folder.
        kind: Options of the run's kind.
        more: What this kind has beside what every kind has.

    Raises:
        RunUsageError: There is no run in this folder.
    """
    record = read_record_of(run)
    config = record.configuration
    return kind(
        models=config.models,
        names=config.agents,
        fleet=config.fleet,
        domain=config.domain,
        data=None if record.data is None else Path(record.data),
        generations=config.generations,
        seed=config.seed,
        eval_model=config.eval_model,
        initial=None if record.initial is None else Path(record.initial),
        fallback=config.fallback,
        policies=config.policies,
        visible=config.visible,
        sandbox=record.sandbox,
        run=run,
        command=record.command,
        cache=None if record.cache is None else Path(record.cache),
        cache_max_gb=record.cache_max_gb,
        keep_traces=record.keep_traces,
        eval_samples=config.eval_samples,
        eval_repeats=config.repeats,
        eval_workers=record.eval_workers,
        **more,
    )
