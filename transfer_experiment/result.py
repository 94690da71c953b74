"""What a paired run came to, read from its space: for tables, for JSON, for summary.json."""

from pathlib import Path

import msgspec

from evolution.config import RunConfig
from evolution.digest import digest_of
from evolution.files import pretty_json, write_atomically
from evolution.folder import RunFolder
from evolution.manifest import TEST, Closing
from evolution.marks import RunMarks
from evolution.opening import reading
from transfer_experiment.adoption import Adoption, adopted
from transfer_experiment.analysis import analyse_run


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
        violations: How many things the guard refused.
        was_finished: True when the run was found finished and no work was done.
    """

    run: str
    digest: str
    seconds: float
    agents: tuple[AgentResult, ...]
    adoptions: tuple[Adoption, ...]
    violations: int
    was_finished: bool = False


def read_result(folder: RunFolder, config: RunConfig, *, was_finished: bool) -> PairResult:
    """Read a finished run's result."""
    with reading(folder, config) as marks:
        return compose(folder, config, marks, was_finished=was_finished)


def compose(
    folder: RunFolder, config: RunConfig, marks: RunMarks, *, was_finished: bool = False
) -> PairResult:
    """Put a result together from an open space."""
    closings = {agent: marks.closings(agent) for agent in config.agents}
    everything = [closing for found in closings.values() for closing in found]
    return PairResult(
        run=str(folder.root),
        digest=digest_of(closing.manifest for closing in everything),
        seconds=round(sum(closing.seconds for closing in everything), 3),
        agents=tuple(
            _agent(name, model, closings[name])
            for name, model in zip(config.agents, config.models, strict=True)
        ),
        adoptions=tuple(adopted(analyse_run(folder, marks, config.agents))),
        violations=sum(len(closing.manifest.violations) for closing in everything),
        was_finished=was_finished,
    )


def write_summary(folder: RunFolder, config: RunConfig, marks: RunMarks) -> None:
    """Write the run's summary.json: the result and the head of the audit chain."""
    result = msgspec.to_builtins(compose(folder, config, marks))
    del result["was_finished"]
    # Paths in a summary are relative to it, so that a run can be moved.
    summary = {**result, "run": Path(folder.root).name, "audit_head": marks.audit_head()}
    write_atomically(folder.summary, pretty_json(summary))


def to_json(result: PairResult) -> str:
    """The result as one JSON object on one line."""
    fields = msgspec.to_builtins(result)
    del fields["was_finished"]
    return msgspec.json.encode(fields).decode()


def _agent(name: str, model: str, closings: list[Closing]) -> AgentResult:
    manifests = [closing.manifest for closing in closings]
    scored = [m for m in manifests if m.valid and m.score("val") is not None]
    best = max(scored, key=lambda m: m.fitness, default=None)
    finals = [m for m in manifests if m.generation == TEST]
    return AgentResult(
        name=name,
        model=model,
        best_generation=None if best is None else int(best.generation),
        best_train=None if best is None else best.score("train"),
        best_val=None if best is None else best.score("val"),
        test=finals[0].score(TEST) if finals else None,
    )
