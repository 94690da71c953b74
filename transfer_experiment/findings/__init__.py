"""A finding, the kinds of findings, and how a detector declares and registers one.

What a file with a detector needs is here: `Finding`, `FindingKind` with its `Measure`, the three
decorators, and what they are called with.
"""

from transfer_experiment.findings.finding import Finding
from transfer_experiment.findings.kind import FindingKind, Measure
from transfer_experiment.findings.registry import in_agent, in_run, in_turn
from transfer_experiment.findings.turn import AgentFindings, Turn

__all__ = [
    "AgentFindings",
    "Finding",
    "FindingKind",
    "Measure",
    "Turn",
    "in_agent",
    "in_run",
    "in_turn",
]
