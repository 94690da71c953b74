"""What a paired run came to, read from its space: for tables, for JSON, for summary.json."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from evolution.citation import complete_record, returned_models
from evolution.config import RunConfig, read_record
from evolution.digest import digest_of
from evolution.files import pretty_json, write_atomically
from evolution.folder import RunFolder
from evolution.manifest import TEST, Closing, best_of
from evolution.marks import RunMarks
from evolution.opening import reading
from transfer_experiment.adoption import Adoption, adopted
from transfer_experiment.analysis import analyse_run
from transfer_experiment.divergence import Divergence, first_divergence, with_validity


class AgentResult(msgspec.Struct, frozen=True):
    """How one agent did.

    Attributes:
        name: Its slug.
        model: Its model as written on the command line.
        best_generation: Generation with the best validation score, the earliest of equals; None
            if none was scored.
        best_train: Train score of that generation.
        best_val: Its validation score.
        test: Its score on the sealed test split.
    """

    name: str
    model: str
    best_generation: int | None
    best_train: float | None
    best_val: float | None
    test: float | None


class PairResult(msgspec.Struct, frozen=True):
    """What a paired run came to.

    Attributes:
        run: The run folder.
        digest: Equal for equal runs (see `evolution.digest`).
        seconds: Wall time of all closed generations.
        agents: In turn order.
        adoptions: Events with the verdict `adopted`.
        violations: How many things the guard refused; what a policy only flagged is none.
        was_finished: True when the run was found finished and no work was done.
        diverged: Where a recorded agent was first asked something else than in its record; None
            if there was no such moment.
    """

    run: str
    digest: str
    seconds: float
    agents: tuple[AgentResult, ...]
    adoptions: tuple[Adoption, ...]
    violations: int
    was_finished: bool = False
    diverged: Divergence | None = None


def read_result(folder: RunFolder, config: RunConfig, *, was_finished: bool) -> PairResult:
    """Read a finished run's result."""
    with reading(folder, config) as marks:
        result = compose(folder, config, marks, was_finished=was_finished)
    if read_record(folder.record).keep_traces == "all":
        return result
    # Without the traces there is no evidence to find again; the summary was written with it.
    summary = msgspec.json.decode(folder.summary.read_bytes())
    found = msgspec.convert(summary["adoptions"], tuple[Adoption, ...])
    return msgspec.structs.replace(result, adoptions=found)


def compose(
    folder: RunFolder, config: RunConfig, marks: RunMarks, *, was_finished: bool = False
) -> PairResult:
    """Put a result together from an open space."""
    closings = {agent: marks.closings(agent) for agent in config.agents}
    everything = [closing for found in closings.values() for closing in found]
    diverged = first_divergence(everything, config.agents)
    return PairResult(
        run=str(folder.root),
        digest=digest_of(closing.manifest for closing in everything),
        seconds=round(sum(closing.seconds for closing in everything), 3),
        agents=tuple(
            _agent(name, model, closings[name])
            for name, model in zip(config.agents, config.models, strict=True)
        ),
        adoptions=with_validity(adopted(analyse_run(folder, marks, config.agents)), diverged),
        violations=sum(
            found.was_refused for closing in everything for found in closing.manifest.violations
        ),
        was_finished=was_finished,
        diverged=diverged,
    )


def write_summary(
    folder: RunFolder, result: PairResult, marks: RunMarks, took: Mapping[str, Any]
) -> None:
    """Write the run's summary.json, and into its record which models answered.

    Args:
        folder: The run's.
        result: What the run came to.
        marks: Its open space, for the head of the audit chain and for who answered.
        took: What it took: `spending` and `forecast`.
    """
    returned = returned_models(c for agent in result.agents for c in marks.closings(agent.name))
    complete_record(folder, returned)
    # Paths in a summary are relative to it, so that a run can be moved.
    summary = {
        **_fields(result),
        "run": Path(folder.root).name,
        **took,
        "audit_head": marks.audit_head(),
        "returned_models": returned,
    }
    write_atomically(folder.summary, pretty_json(summary))


def to_json(result: PairResult) -> str:
    """The result as one JSON object on one line."""
    return msgspec.json.encode(_fields(result)).decode()


def _fields(result: PairResult) -> dict[str, Any]:
    """What a result says of the run itself; of divergence only where there was one."""
    fields: dict[str, Any] = msgspec.to_builtins(result)
    del fields["was_finished"]
    if result.diverged is None:
        del fields["diverged"]
    return fields


def _agent(name: str, model: str, closings: list[Closing]) -> AgentResult:
    manifests = [closing.manifest for closing in closings]
    best = best_of(manifests)
    finals = [m for m in manifests if m.generation == TEST]
    return AgentResult(
        name=name,
        model=model,
        best_generation=None if best is None else int(best.generation),
        best_train=None if best is None else best.score("train"),
        best_val=None if best is None else best.score("val"),
        test=finals[0].score(TEST) if finals else None,
    )
