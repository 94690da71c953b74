"""What the guard refused in a run, and whether the run's record is whole."""

from collections import Counter
from pathlib import Path
from typing import Any

import msgspec

from evolution.config import read_record_of
from evolution.errors import RunUsageError
from evolution.folder import RunFolder
from evolution.opening import reading
from evolution.report import audit_line


class Audit(msgspec.Struct, frozen=True):
    """The audit of a run.

    Attributes:
        refused: One record for each thing that the guard refused, in order.
        entries: Entries in the hash chain.
        head: Head of the chain.
        verified: Whether the chain verifies up to the head that summary.json names, if it does.
        problem: Where it breaks; empty when it verifies.
    """

    refused: tuple[dict[str, Any], ...]
    entries: int
    head: str
    verified: bool
    problem: str

    def totals(self) -> dict[tuple[str, str], int]:
        """Number of refusals by (agent, kind)."""
        counts = Counter((str(found["agent"]), str(found["kind"])) for found in self.refused)
        return dict(sorted(counts.items()))


def read_audit(run: Path, *, agent: str | None = None, kind: str | None = None) -> Audit:
    """Read a run's refusals, filtered if asked, and verify its chain.

    Raises:
        RunUsageError: The folder holds no run, or no such agent plays in it.
    """
    folder, config = RunFolder(run), read_record_of(run).configuration
    if agent is not None and agent not in config.agents:
        raise RunUsageError(f"no agent {agent!r} in {run}; its agents: {', '.join(config.agents)}")
    with reading(folder, config) as marks:
        closings = [closing for name in config.agents for closing in marks.closings(name)]
        result = marks.space.verify(expected_head=_promised_head(folder))
    closings.sort(key=lambda closing: closing.closed_utc)
    lines = [
        audit_line(closing, found) for closing in closings for found in closing.manifest.violations
    ]
    return Audit(
        refused=tuple(
            line
            for line in lines
            if agent in (None, line["agent"]) and kind in (None, line["kind"])
        ),
        entries=result.entries,
        head=result.head,
        verified=result.ok,
        problem=result.problem or "",
    )


def _promised_head(folder: RunFolder) -> str | None:
    """The head that a finished run's summary names; None while there is no summary."""
    if not folder.summary.is_file():
        return None
    head = msgspec.json.decode(folder.summary.read_bytes()).get("audit_head")
    return head if isinstance(head, str) else None
