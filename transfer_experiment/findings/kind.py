"""Everything that a kind of finding says of itself: once, in the file of its detector."""

from collections.abc import Callable, Iterable
from typing import Any, Literal

import msgspec

from transfer_experiment.findings.finding import Detail, Finding
from transfer_experiment.findings.telling import Teller, in_generations
from transfer_experiment.turns.evidence import Evidence

Case = tuple[str, ...]
"""What a label of the corpus is about: an agent, and mostly a generation and more."""


class Measure(msgspec.Struct, frozen=True):
    """How a kind is scored on the corpus (docs/reference/detectors.md).

    Attributes:
        name: Of the labels that it is held against.
        cases: The cases that a finding claims; without it, its agent and generation.
    """

    name: str
    cases: Callable[[Finding], Iterable[Case]] = lambda finding: [
        (finding.agent, str(finding.generation))
    ]


class FindingKind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of finding, as every output needs it.

    Attributes:
        name: In JSON, in tables and in totals; plural.
        title: What an agent did, said in one line for all of its findings; of an event the heading.
        order: Where it stands among the kinds, ascending.
        section: Where a terminal shows it: `habits`, agent by agent, or `events`, under its title.
        table: `own`: a CSV file, a key of the run in JSON, and a line in the totals; `habits`: rows
            of habits.csv and a count among the habits; `none`: in JSON alone.
        label: Its name in the totals; empty for the name.
        columns: In JSON and tables: fields of a finding and keys of its details.
        needs: What a run must have so that none found means none: `code`, `traces`.
        count_by: Details by which the totals are split.
        tell: Makes lines of an agent's findings of this kind.
        measure: How it is scored on the corpus; None if it is not.
    """

    name: str
    title: str
    order: int = 1000
    section: Literal["habits", "events"] = "habits"
    table: Literal["own", "habits", "none"] = "habits"
    label: str = ""
    columns: tuple[str, ...] = ("agent", "generation", "text", "evidence")
    needs: tuple[Literal["code", "traces"], ...] = ("traces",)
    count_by: tuple[str, ...] = ()
    tell: Teller = in_generations
    measure: Measure | None = None

    def finding(
        self,
        agent: str,
        generation: int,
        evidence: Iterable[Evidence] = (),
        text: str = "",
        **details: Detail,
    ) -> Finding:
        """Make a finding of this kind; without a text it says what the title says."""
        return Finding(self.name, agent, generation, text or self.title, tuple(evidence), details)

    def row(self, finding: Finding) -> dict[str, Any]:
        """The columns of a finding; a detail goes before a field of the same name."""
        return {
            name: finding.details[name] if name in finding.details else getattr(finding, name)
            for name in self.columns
        }
