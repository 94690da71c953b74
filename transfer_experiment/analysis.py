"""Reading a run back for the analysis of adoption: from its marks and its traces."""

from collections.abc import Sequence

from agents.traces import read_trace
from agents.workspace import STRATEGIES, Strategy
from evolution.folder import RunFolder
from evolution.manifest import Closing
from evolution.marks import RunMarks
from evolution.sharing import shared_files
from transfer_experiment.adoption import Adoption, Judge, Seen, Step
from transfer_experiment.evidence import reading_evidence


class RunningAnalysis:
    """Judges the generations of a run as they are closed, each of them once."""

    def __init__(self, folder: RunFolder, agents: Sequence[str]) -> None:
        self._folder = folder
        self._judges = {agent: Judge(agent) for agent in agents}

    def take(self, marks: RunMarks, closing: Closing) -> list[Adoption]:
        """Judge every strategy that was in sight of an agent's next generation.

        Args:
            marks: The run's open space.
            closing: The generation; a final evaluation has nothing to judge.
        """
        if not isinstance(closing.manifest.generation, int):
            return []
        return self._judges[closing.manifest.agent].take(_step(self._folder, marks, closing))


def analyse_run(folder: RunFolder, marks: RunMarks, agents: Sequence[str]) -> list[Adoption]:
    """Judge every strategy that was in sight of every generation of a run."""
    analysis = RunningAnalysis(folder, agents)
    events = [
        event
        for agent in agents
        for closing in marks.closings(agent)
        for event in analysis.take(marks, closing)
    ]
    return sorted(events, key=lambda event: (event.generation, event.agent, event.strategy))


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
