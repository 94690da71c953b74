"""Findings in lines for a terminal. Words of agents take one line and cannot steer it."""

from collections.abc import Callable, Iterator, Sequence

from guards.scope.changes import printable
from transfer_experiment.findings.finding import Finding
from transfer_experiment.turns.evidence import Evidence

Teller = Callable[[str, Sequence[Finding]], Iterator[str]]
"""Makes lines of a kind's title and its findings: those of one agent, or of a run."""


def in_generations(title: str, findings: Sequence[Finding]) -> Iterator[str]:
    """Tell in which generations an agent did what the title says, and how often."""
    if findings:
        times = f", {len(findings)} times" if len(findings) > 1 else ""
        generations = spans(sorted({finding.generation for finding in findings}))
        yield f"{printable(findings[0].agent)}: {title} in generation {generations}{times}"


def with_evidence(title: str, findings: Sequence[Finding]) -> Iterator[str]:
    """Tell the same, and quote the first piece of evidence that there is."""
    yield from in_generations(title, findings)
    quoted = [finding.evidence[0] for finding in findings if finding.evidence]
    yield from (f"    {quote(evidence)}" for evidence in quoted[:1])


def one_by_one(_title: str, findings: Sequence[Finding]) -> Iterator[str]:
    """Tell each finding in its own words."""
    for finding in findings:
        yield f"{printable(finding.agent)}: {printable(finding.text)}"


def as_events(_title: str, findings: Sequence[Finding]) -> Iterator[str]:
    """Tell each finding in its own words, after its generation."""
    for finding in findings:
        agent = printable(finding.agent)
        yield f"gen {finding.generation}: {agent} {printable(finding.text)}"


def as_quoted_events(title: str, findings: Sequence[Finding]) -> Iterator[str]:
    """Tell each finding after its generation, followed by its evidence."""
    for finding in findings:
        yield from as_events(title, [finding])
        yield from (f"    {ranked_quote(evidence)}" for evidence in finding.evidence)


def ranked_quote(evidence: Evidence) -> str:
    """Quote a piece of evidence behind what it is: read by the agent, or said by it."""
    return f"{'read' if evidence.rank == 'host-observed' else 'says'} {quote(evidence)}"


def quote(evidence: Evidence) -> str:
    """Quote a piece of evidence behind its file and line."""
    return f"{printable(evidence.file)}:{evidence.line} {printable(evidence.quote)}"


def spans(numbers: Sequence[int]) -> str:
    """Name ascending numbers shortly: `1-3, 7`."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(str(p[0]) if len(p) == 1 else f"{p[0]}-{p[-1]}" for p in parts)
