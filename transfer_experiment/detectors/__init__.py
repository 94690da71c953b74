"""Detectors: neglect, repetition, probes, standstill, growth, complacency, diversity.

`of(run)` runs them all on a run that was read. Each is a small pure function in its own file, with
its definition there and in docs/reference/detectors.md; each finding carries its evidence. How
often they are right is measured on runs whose truth is known: `transfer_experiment.corpus`.
"""

from transfer_experiment.detectors.gather import of
from transfer_experiment.detectors.records import Findings

__all__ = ["Findings", "of"]
