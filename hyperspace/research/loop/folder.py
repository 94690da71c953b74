"""The files of a research run (docs/domains/research.md)."""

from pathlib import Path
from typing import Final

from hyperspace.kernel.state.folder import TRACE

RECORD: Final = "research.json"


class ResearchFolder:
    """Where each file of a run lies. Holds no state; the space is the state."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.record = root / RECORD
        self.space = root / "space.db"
        self.jobs = root / "jobs.db"
        self.ledger = root / "ledger.jsonl"
        self.terms = root / "limits.json"
        self.ideas = root / "ideas.jsonl"
        self.ranked = root / "ranked_ideas.json"
        self.summary = root / "summary.json"
        self.now = root / "now.json"
        self.artefacts = root / "artefacts"

    def idea(self, number: int) -> Path:
        """Folder of one idea."""
        return self.root / "ideas" / f"{number:04d}"

    def trace(self, number: int) -> Path:
        """Model calls of one idea."""
        return self.idea(number) / TRACE

    def earlier_traces(self, number: int) -> list[Path]:
        """Traces of attempts at an idea that were not closed, oldest first."""
        return sorted(self.idea(number).glob(f"abandoned-*-{TRACE}"))

    def set_trace_aside(self, number: int) -> None:
        """Put the trace of an attempt that was not closed under the next free name."""
        if self.trace(number).exists():
            count = len(self.earlier_traces(number))
            self.trace(number).rename(self.idea(number) / f"abandoned-{count:04d}-{TRACE}")
