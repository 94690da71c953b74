"""What became of the agents of a run, and the parts that every run's summary.json has."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from guards.parsing import decode_json
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.kernel.events import Nothing
from hyperspace.kernel.files import pretty_json, write_atomically
from hyperspace.kernel.state.closings import end_on_record, every_closing
from hyperspace.kernel.state.digest import RunningDigest
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import TEST, Closing, Manifest, RunEnd, best_of
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.views.citation import complete_record, returned_models
from hyperspace.kernel.views.nothing import AgentEffect, came_to_nothing

RARE: Final = frozenset({"nothing", "came_to_nothing", "ended"})
"""Fields of a result that are absent where they do not apply."""


class AgentResult(msgspec.Struct, frozen=True):
    """How one agent did.

    Attributes:
        name: Its slug.
        model: Its model as written on the command line.
        best_generation: Generation with the best fitness (its validation score, unless
            ensembles rank), the earliest of equals; None if none was scored.
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


class Tally:
    """Totals over an agent's closings, which are taken one by one; only four are kept.

    Args:
        name: The agent's slug.
        model: Its model as written on the command line.

    Attributes:
        closed: Number of its generations.
        refused: How many things the guard refused; what a policy only flagged is none.
        seconds: Wall time of all that was closed.
        tested_early: Whether a generation was evaluated on test.
        first: Manifest of generation 0.
        best: Of the one with the best fitness, the earliest of equals.
        final: Of its final evaluation.
        diverged: The first that took another way than its record.
        progress: Whether its generations came to anything.
    """

    def __init__(self, name: str, model: str) -> None:
        self._name, self._model = name, model
        self.closed = self.refused = 0
        self.seconds = 0.0
        self.tested_early = False
        self.first: Manifest | None = None
        self.best: Manifest | None = None
        self.final: Manifest | None = None
        self.diverged: Closing | None = None
        self.progress = AgentEffect()

    def take(self, closing: Closing) -> None:
        """Take the next one."""
        self.refused += sum(violation.was_refused for violation in closing.manifest.violations)
        self.seconds += closing.seconds
        self.progress.take(closing)
        if closing.diverged and self.diverged is None:
            self.diverged = closing
        if closing.manifest.generation == TEST:
            self.final = closing.manifest
            return
        manifest = closing.manifest
        self.closed += 1
        self.tested_early |= TEST in manifest.splits
        self.first = self.first or manifest
        self.best = best_of(filter(None, (self.best, manifest)))

    def result(self) -> AgentResult:
        """How the agent did."""
        best = self.best
        return AgentResult(
            name=self._name,
            model=self._model,
            best_generation=None if best is None else int(best.generation),
            best_train=None if best is None else best.score("train"),
            best_val=None if best is None else best.score("val"),
            test=None if self.final is None else self.final.score(TEST),
        )


class RunTally(NamedTuple):
    """Totals over a run's closings.

    Attributes:
        agents: By name, in the run's order.
        digest: The run's.
        ended: Its end before its last generation; None where it has none.
    """

    agents: Mapping[str, Tally]
    digest: str
    ended: RunEnd | None = None

    @property
    def seconds(self) -> float:
        """Wall time of all that was closed."""
        return round(sum(each.seconds for each in self.agents.values()), 3)

    @property
    def refused(self) -> int:
        """How many things the guard refused."""
        return sum(each.refused for each in self.agents.values())

    @property
    def nothing(self) -> dict[str, Nothing]:
        """What is said of each agent that came to nothing, by its name."""
        said = {name: agent.progress.nothing for name, agent in self.agents.items()}
        return {name: nothing for name, nothing in said.items() if nothing is not None}

    @property
    def came_to_nothing(self) -> bool:
        """Whether none of its agents came to anything."""
        return came_to_nothing(each.progress for each in self.agents.values())

    def fields(self) -> dict[str, Any]:
        """Return what the summary of every kind of run says of it."""
        return {
            "digest": self.digest,
            "seconds": self.seconds,
            "agents": [each.result() for each in self.agents.values()],
            "violations": self.refused,
        }


def tally(marks: RunMarks) -> RunTally:
    """Read every closing of a run, once."""
    config, total = marks.config, RunningDigest()
    agents = {
        name: Tally(name, model) for name, model in zip(config.agents, config.models, strict=True)
    }
    for closing in every_closing(marks, config.agents):
        total.take(closing.manifest)
        agents[closing.manifest.agent].take(closing)
    ended = end_on_record(marks, sum(each.closed for each in agents.values()))
    return RunTally(agents, total.hexdigest(), ended)


def without_unused(fields: dict[str, Any]) -> dict[str, Any]:
    """Return what a run came to without fields that few runs have, where they do not apply."""
    return {name: value for name, value in fields.items() if value or name not in RARE}


def agrees(folder: RunFolder, fields: Mapping[str, Any]) -> bool:
    """Return whether a run's summary.json agrees with its space.

    Args:
        folder: The run's.
        fields: What the run came to, as `write_run_summary` takes it.
    """
    return not differing(folder.summary, {**fields, "run": Path(folder.root).name})


def differing(summary: Path, fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the fields that a summary has otherwise; of all if it is unreadable.

    Args:
        summary: The file.
        fields: What it has to say; it may say more, and without what earlier versions did not say.
    """
    try:
        said = decode_json(read_whole(summary), dict[str, Any])
    except (Unreadable, msgspec.MsgspecError):
        return tuple(fields)
    wanted = msgspec.json.decode(msgspec.json.encode(fields))
    return tuple(
        name
        for name, value in wanted.items()
        if (name in said and said[name] != value) or (name not in said and name not in RARE)
    )


def write_run_summary(
    folder: RunFolder, fields: Mapping[str, Any], marks: RunMarks, took: Mapping[str, Any]
) -> None:
    """Write the run's summary.json, and into its record which models answered.

    Args:
        folder: The run's.
        fields: What the run came to.
        marks: Its open space, for the head of the audit chain and for who answered.
        took: What it took: `spending` and `forecast`.
    """
    agents = marks.config.agents
    returned = returned_models(every_closing(marks, agents))
    complete_record(folder, returned)
    # Paths in a summary are relative to it, so that a run can be moved.
    summary = {
        **fields,
        "run": Path(folder.root).name,
        **took,
        "audit_head": marks.audit_head(),
        "returned_models": returned,
    }
    write_atomically(folder.summary, pretty_json(summary))
