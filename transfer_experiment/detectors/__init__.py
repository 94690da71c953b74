"""Detectors, a file for each or for a few that belong together: each says what it finds.

Every module in this folder is a part of the analysis; so a detector is added by adding a file.
Each is a pure function with its definition beside it and in docs/reference/detectors.md; each
finding carries its evidence. How often they are right is measured on runs whose truth is known:
`benchmarks.detectors`.
"""

import importlib
import pkgutil
from functools import cache

from transfer_experiment.findings.kind import FindingKind
from transfer_experiment.findings.registry import Detector, registered


def all_detectors() -> tuple[Detector, ...]:
    """Return the detectors of this folder and those registered by others, in their order."""
    _import_all()
    return registered()


def all_kinds() -> list[FindingKind]:
    """Return the kinds of what they find, in their order."""
    return [detector.kind for detector in all_detectors()]


@cache
def _import_all() -> None:
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(module.name)
