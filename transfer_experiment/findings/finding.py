"""A finding, and all findings of a run."""

from collections.abc import Mapping, Sequence

import msgspec

from transfer_experiment.turns.evidence import Evidence

Detail = str | int | float | bool | None


class Finding(msgspec.Struct, frozen=True):
    """Something that a detector found in a run.

    Attributes:
        kind: Name of its kind.
        agent: Whose generation.
        generation: Which; the first one of several.
        text: What was found, without the agent: `made 38 tool calls`.
        evidence: The places in traces that it rests on.
        details: What this kind says beyond that, by column.
    """

    kind: str
    agent: str
    generation: int
    text: str
    evidence: tuple[Evidence, ...] = ()
    details: Mapping[str, Detail] = {}


class Findings(msgspec.Struct, frozen=True):
    """All findings of one run.

    Attributes:
        findings: All of them; those of one kind in the order of agents and generations.
        unread: Generations without a trace that can be read, as (agent, generation): of those
            nothing but their code is judged.
    """

    findings: tuple[Finding, ...]
    unread: tuple[tuple[str, int], ...] = ()

    def of(self, kind: str) -> Sequence[Finding]:
        """The findings of a kind."""
        return [finding for finding in self.findings if finding.kind == kind]
