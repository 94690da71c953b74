"""What became of the agents of a run, and the parts that every run's summary.json has."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from evolution.citation import complete_record, returned_models
from evolution.files import pretty_json, write_atomically
from evolution.folder import RunFolder
from evolution.manifest import TEST, Closing, best_of
from evolution.marks import RunMarks


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


def agent_result(name: str, model: str, closings: Iterable[Closing]) -> AgentResult:
    """Read how an agent did from its closings."""
    manifests = [closing.manifest for closing in closings]
    best = best_of(manifests)
    finals = [m for m in manifests if m.generation == TEST]
    return AgentResult(
        name=name,
        model=model,
        best_generation=None if best is None else int(best.generation),
        best_train=None if best is None else best.score("train"),
        best_val=None if best is None else best.score("val"),
        test=finals[-1].score(TEST) if finals else None,
    )


def violations_in(closings: Iterable[Closing]) -> int:
    """How many things the guard refused; what a policy only flagged is none."""
    return sum(found.was_refused for closing in closings for found in closing.manifest.violations)


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
    returned = returned_models(c for agent in agents for c in marks.closings(agent))
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
