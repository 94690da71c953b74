"""What a person asks for when launching a paired run, and the names that follow from it."""

from collections import Counter
from pathlib import Path

import msgspec

from agents.models.names import slug
from agents.visibility import Visibility
from domains.base import Domain
from evolution.config import Fallback, read_record_of
from evolution.retention import KeepTraces
from evolution.terms import AskedTerms
from guards.content.modes import Mode, all_modes


class PairOptions(msgspec.Struct, frozen=True, kw_only=True):
    """A paired run as asked for on the command line.

    Attributes:
        models: The two models, as people write them.
        domain: Domain name with options, or FILE.py:NAME.
        data: Folder with the domain's data; None if it needs none.
        generations: Generations after generation 0.
        seed: The run seed.
        eval_model: Model that task agents call; None means each agent's own.
        initial: Folder with the code to start from; None for the seed.
        fallback: Where a parent comes from after a failure.
        policies: Mode of each content policy.
        visible: Which results of evaluation agents see.
        sandbox: A name that `guards.choose` knows, or auto.
        results: Root of the results tree.
        command: The command line, for the record.
        terms: What it may spend, as far as this start says so.
        outage_minutes: How long a provider may fail before the run pauses; decides no result.
        cache: Folder with replies of other runs; None asks anew.
        cache_max_gb: Bound on that folder in 10^9 bytes; None sets none.
        keep_traces: Which traces are kept when the run is finished.
        otel: Tell an OpenTelemetry collector of each model call.
    """

    models: tuple[str, str]
    domain: str
    data: Path | None = None
    generations: int = 10
    seed: int = 42
    eval_model: str | None = None
    initial: Path | None = None
    fallback: Fallback = "best"
    policies: dict[str, Mode] = msgspec.field(default_factory=all_modes)
    visible: Visibility = Visibility()
    sandbox: str = "auto"
    results: Path = Path("results")
    command: tuple[str, ...] = ()
    terms: AskedTerms = AskedTerms()
    outage_minutes: float = 10.0
    cache: Path | None = None
    cache_max_gb: float | None = None
    keep_traces: KeepTraces = "all"
    otel: bool = False


def agent_names(models: tuple[str, ...]) -> tuple[str, ...]:
    """Agent names: slugs of the model names; repeats get `_b`, `_c`."""
    seen: Counter[str] = Counter()
    names: list[str] = []
    for model in models:
        name = slug(model)
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name}_{chr(ord('a') + seen[name] - 1)}")
    return tuple(names)


def run_folder(options: PairOptions, domain: Domain) -> Path:
    """Where the run lies: results/<domain>/<a>_vs_<b>/seed<n>."""
    pairing = "_vs_".join(agent_names(options.models))
    return options.results / domain.name / pairing / f"seed{options.seed}"


def options_of(run: Path) -> PairOptions:
    """The options that a run was started with, read from its folder.

    Raises:
        RunUsageError: There is no run in this folder.
    """
    record = read_record_of(run)
    config = record.configuration
    return PairOptions(
        models=(config.models[0], config.models[1]),
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
        results=run.resolve().parents[2],
        command=record.command,
        cache=None if record.cache is None else Path(record.cache),
        cache_max_gb=record.cache_max_gb,
        keep_traces=record.keep_traces,
    )
