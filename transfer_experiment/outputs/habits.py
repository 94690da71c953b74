"""Habits of agents in lines: neglect, repetition, probes, standstill, growth, complacency."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol

from guards.scope.changes import printable
from transfer_experiment.agent_pass import spans
from transfer_experiment.analysis import RunAnalysis
from transfer_experiment.detectors import Findings
from transfer_experiment.detectors.records import SizeTrajectory
from transfer_experiment.turns.evidence import Evidence

_KINDS: Final = {
    "looks": "looked into strategies/",
    "doom_loops": "repeated one call three times or more",
    "exhaustions": "used up its tool calls",
    "repeated_views": "viewed one path again",
    "failed_edits": "edits that did not fit",
    "meta_edits": "edited meta_agent.py",
    "probes": "reached beyond the workspace",
    "stuck": "left task_agent.py as it was",
    "complacency": "declared itself finished",
}
_QUOTED: Final = ("probes", "complacency")  # kinds of which one piece of evidence is shown


class _Finding(Protocol):
    @property
    def agent(self) -> str: ...
    @property
    def generation(self) -> int: ...
    @property
    def evidence(self) -> tuple[Evidence, ...]: ...


def habit_lines(run: RunAnalysis) -> Iterator[str]:
    """What the detectors found of each agent; nothing for what they did not find."""
    for agent in run.agents:
        yield from _neglects(run, agent.name)
        for kind, words in _KINDS.items():
            found = [item for item in _of(run.findings, kind) if item.agent == agent.name]
            yield from _kind(agent.name, words, found, quoted=kind in _QUOTED)
        yield from (_size(item) for item in run.findings.sizes if item.agent == agent.name)
    yield from _distances(run.findings)


def _of(findings: Findings, kind: str) -> Sequence[_Finding]:
    found: Sequence[_Finding] = getattr(findings, kind)
    return found


def _neglects(run: RunAnalysis, agent: str) -> Iterator[str]:
    for item in run.neglects:
        if item.agent == agent:
            yield (
                f"{printable(agent)}: neglected its peers in generations {item.first}-{item.last}; "
                f"it had looked last in {item.last_look}"
            )


def _kind(agent: str, words: str, found: Sequence[_Finding], *, quoted: bool) -> Iterator[str]:
    if not found:
        return
    times = f", {len(found)} times" if len(found) > 1 else ""
    generations = spans(sorted({item.generation for item in found}))
    yield f"{printable(agent)}: {words} in generation {generations}{times}"
    if quoted:
        yield from (f"    {_place(item)}" for item in _first_evidence(found))


def _first_evidence(found: Iterable[_Finding]) -> list[Evidence]:
    return [item.evidence[0] for item in found if item.evidence][:1]


def _place(item: Evidence) -> str:
    return f"{printable(item.file)}:{item.line} {printable(item.quote)}"


def _size(found: SizeTrajectory) -> str:
    steps = f"{found.grew} of {found.steps} steps grew, {found.shrank} shrank"
    sizes = f"{found.first_bytes} to {found.last_bytes} bytes"
    return f"{printable(found.agent)}: size {found.trajectory} ({sizes}; {steps})"


def _distances(findings: Findings) -> Iterator[str]:
    """How far the agents are apart, pair by pair, over the generations."""
    pairs: dict[tuple[str, str], list[str]] = defaultdict(list)
    for item in findings.diversity:
        pairs[item.agent, item.peer].append(f"{item.distance:.2f}@{item.generation}")
    for (agent, peer), distances in pairs.items():
        yield f"{printable(agent)} and {printable(peer)}: distance {' '.join(distances)}"
