"""Reading a run back for the analysis of adoption: from its marks and its traces."""

from collections.abc import Sequence

from agents.traces import read_trace
from agents.workspace import STRATEGIES, Strategy
from evolution.folder import RunFolder
from evolution.manifest import Closing
from evolution.marks import RunMarks
from evolution.sharing import shared_files
from transfer_experiment.adoption import Adoption, Seen, Step, find_adoptions
from transfer_experiment.evidence import reading_evidence


def analyse_run(folder: RunFolder, marks: RunMarks, agents: Sequence[str]) -> list[Adoption]:
    """Judge every strategy that was in sight of every generation of a run."""
    events = [
        event
        for agent in agents
        for event in find_adoptions(agent, [_step(folder, marks, c) for c in _played(marks, agent)])
    ]
    return sorted(events, key=lambda event: (event.generation, event.agent, event.strategy))


def _played(marks: RunMarks, agent: str) -> list[Closing]:
    return [found for found in marks.closings(agent) if isinstance(found.manifest.generation, int)]


def _step(folder: RunFolder, marks: RunMarks, closing: Closing) -> Step:
    manifest = closing.manifest
    generation = int(manifest.generation)
    code = marks.code(manifest.agent, generation)
    return Step(
        generation=generation,
        text=code.get("task_agent.py"),
        val_score=manifest.score("val"),
        seen=tuple(
            _seen(folder, marks, manifest.agent, generation, strategy)
            for strategy in map(marks.strategy_by_id, manifest.seen)
            if strategy.agent != manifest.agent  # a placebo: nobody adopts from oneself
        ),
    )


def _seen(
    folder: RunFolder, marks: RunMarks, agent: str, generation: int, strategy: Strategy
) -> Seen:
    shown = shared_files(strategy.files, marks.config.together.sharing)
    path = folder.generation(agent, generation) / "llm_calls.jsonl"
    return Seen(
        peer=strategy.agent,
        strategy=f"{STRATEGIES}/{strategy.folder}",
        text=shown.get("task_agent.py", ""),
        evidence=reading_evidence(
            read_trace(path).calls, str(path.relative_to(folder.root)), strategy.folder
        ),
    )
