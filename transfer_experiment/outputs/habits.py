"""Habits of agents in lines: the kinds of findings that a terminal shows agent by agent."""

from collections.abc import Iterator

from transfer_experiment.analysis import RunAnalysis
from transfer_experiment.detectors import all_detectors


def habit_lines(run: RunAnalysis) -> Iterator[str]:
    """Tell the habits of each agent, then those of the run; nothing for what was not found."""
    habits = [detector for detector in all_detectors() if detector.kind.section == "habits"]
    for agent in run.agents:
        for detector in habits:
            if detector.in_run is None:
                kind = detector.kind
                own = [f for f in run.findings.of(kind.name) if f.agent == agent.name]
                yield from kind.tell(kind.title, own)
    for detector in habits:
        if detector.in_run is not None:
            kind = detector.kind
            yield from kind.tell(kind.title, run.findings.of(kind.name))
