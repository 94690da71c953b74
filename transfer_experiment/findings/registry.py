"""The detectors: each registers itself where it is defined, and says what its findings are.

A detector is a function. `@in_turn(KIND)` calls it with each generation of each agent,
`@in_agent(KIND)` with each agent when all of its generations were seen, `@in_run(KIND)` with the
run. Those in `transfer_experiment/detectors/` register when `transfer_experiment.detectors` lists
its folder; one in a file of your own registers when that file is imported, before the analysis.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from hyperspace.runs.records import Run, RunAgent
from transfer_experiment.findings.finding import Finding
from transfer_experiment.findings.kind import FindingKind
from transfer_experiment.findings.turn import AgentFindings, Turn

InTurn = Callable[[Turn], Iterable[Finding]]
InAgent = Callable[[RunAgent, AgentFindings], Iterable[Finding]]
InRun = Callable[[Run], Iterable[Finding]]
T = TypeVar("T", InTurn, InAgent, InRun)


class Detector(NamedTuple):
    """A kind of finding and the function that finds it: exactly one of the three.

    Attributes:
        kind: What its findings are.
        in_turn: Looks at one generation.
        in_agent: Looks at one agent, behind all that was found in its generations.
        in_run: Looks at the run.
    """

    kind: FindingKind
    in_turn: InTurn | None = None
    in_agent: InAgent | None = None
    in_run: InRun | None = None


_registered: dict[str, Detector] = {}


def register(detector: Detector) -> None:
    """Make a detector part of every analysis from now on.

    Raises:
        ValueError: There is one of this name.
    """
    name = detector.kind.name
    if name in _registered:
        raise ValueError(f"there is a detector {name!r} already; give this one another name")
    _registered[name] = detector


def unregister(name: str) -> None:
    """Leave a detector out of every analysis from now on.

    Raises:
        KeyError: There is none of this name.
    """
    del _registered[name]


def in_turn(kind: FindingKind) -> Callable[[InTurn], InTurn]:
    """Register a function as the detector of a kind; it is called with each generation."""
    return _registering(lambda function: Detector(kind, in_turn=function))


def in_agent(kind: FindingKind) -> Callable[[InAgent], InAgent]:
    """Register a function as the detector of a kind; it is called with each agent at its end."""
    return _registering(lambda function: Detector(kind, in_agent=function))


def in_run(kind: FindingKind) -> Callable[[InRun], InRun]:
    """Register a function as the detector of a kind; it is called with the run."""
    return _registering(lambda function: Detector(kind, in_run=function))


def _registering(detector_of: Callable[[T], Detector]) -> Callable[[T], T]:
    def decorate(function: T) -> T:
        register(detector_of(function))
        return function

    return decorate


def registered() -> tuple[Detector, ...]:
    """Return the detectors in the order of their kinds."""
    return tuple(sorted(_registered.values(), key=lambda d: (d.kind.order, d.kind.name)))
