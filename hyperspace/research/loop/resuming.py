"""Going on with a research run from its folder alone."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import msgspec

from guards.scope.changes import printable
from hyperspace.executor.names import LOCAL
from hyperspace.kernel.errors import ForeignRun
from hyperspace.kernel.state.copies import copy_told, take_back
from hyperspace.kernel.state.ownership import enter
from hyperspace.options.spending import Spending
from hyperspace.research.loop.folder import RECORD, ResearchFolder
from hyperspace.research.loop.options import ResearchOptions
from hyperspace.research.loop.records import ResearchRecord
from hyperspace.research.loop.run import (
    Tell,
    play_setup,
    read_research_record,
    require_same,
    set_up,
)


class ResumeTerms(msgspec.Struct, frozen=True, kw_only=True):
    """What a resume may say otherwise than the start before.

    Attributes:
        spending: Limits; those that are unset stay.
        slots: Jobs at a time; None for as many as the first start said.
        executor: Where they are played, by name.
        outage_minutes: How long a model that fails is asked again.
        trust: Whether the person trusts who made the run.
        keys_to: The addresses in models' names that a key is sent to where somebody else made it.
        data: Where folders that jobs read lie now, by name; others lie where they did.
    """

    spending: Spending = Spending()
    slots: int | None = None
    executor: str = LOCAL
    outage_minutes: float = 10.0
    trust: bool = False
    keys_to: Collection[str] = ()
    data: Mapping[str, Path] = {}


def resume_research(run: Path, terms: ResumeTerms, tell: Tell) -> dict[str, Any]:
    """Go on with a run, wherever its folder lies now.

    Returns:
        The fields of its summary.json.

    Raises:
        ForeignRun: Somebody else began it; says what it would do.
        ConfigMismatch: Its environment is another by now.
        EnvironmentUnusable, RunUsageError, ModelError, SandboxUnavailable, RunHeld, RunPaused: See
            `run_set`.
    """
    record = read_research_record(run).with_data(terms.data)
    enter(run, to_write=True, record_name=RECORD)
    is_foreign = not take_back(run, RECORD)
    if is_foreign and not terms.trust:
        deed = f"{deeds(record)}, and take what it says of jobs as true"
        raise ForeignRun(str(run), deed, copy_told(run))
    setup = set_up(_options(record, terms), tell, terms.keys_to if is_foreign else None)
    setup = msgspec.structs.replace(setup, folder=ResearchFolder(run), is_foreign=is_foreign)
    require_same(run, record.configuration, setup.config)
    return play_setup(setup, tell)


def deeds(record: ResearchRecord) -> str:
    """Return what playing a run would do, for a person who did not begin it."""
    config = record.configuration
    models, sandbox = printable(" ".join(config.models)), printable(config.sandbox)
    paths = [record.env_config or "", *record.data.values()]
    also = [f" and {printable(path)}" for path in paths if path]
    scale = f" in its scale {printable(record.scale)}" if record.scale else ""
    environment = f"read the environment {printable(record.env)}{scale}{''.join(also)}"
    return f"{environment}, ask the models {models}, and train its ideas in sandbox {sandbox}"


def _options(record: ResearchRecord, terms: ResumeTerms) -> ResearchOptions:
    config = record.configuration
    return ResearchOptions(
        env=record.env,
        env_config=None if record.env_config is None else Path(record.env_config),
        scale=record.scale,
        data=record.folders,
        models=config.models,
        epochs=config.epochs,
        ideas=config.ideas,
        slots=terms.slots or record.slots,
        executor=terms.executor,
        explore=config.explore,
        repairs=config.repairs,
        arm=config.arm,
        seed=config.seed,
        sandbox=config.sandbox,
        outage_minutes=terms.outage_minutes,
        terms=terms.spending,
        command=record.command,
    )
