"""A run's marks, one line each, for people and tools."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from evolution.config import read_record_of
from evolution.errors import RunUsageError
from evolution.folder import RunFolder
from evolution.opening import reading
from markspace import Action, AnyMark, Intent, Observation, Warning, scope_contains

_SHOWN = ("model", "generation", "train_score", "val_score")


class Listed(msgspec.Struct, frozen=True):
    """One mark.

    Attributes:
        sequence: Its place in the order of commits.
        scope: Where it was written.
        mark_type: What it is.
        key: Its topic or resource; empty if it has neither.
        created_at: Logical time, in rounds.
        confidence: None for marks without one.
        mark: All its fields.
    """

    sequence: int
    scope: str
    mark_type: str
    key: str
    created_at: float
    confidence: float | None
    mark: dict[str, Any]

    @property
    def facts(self) -> dict[str, Any]:
        """What a person wants to know at a glance."""
        facts = {} if self.confidence is None else {"fitness": self.confidence}
        content = self.mark.get("content")
        if isinstance(content, dict):
            facts |= {name: content[name] for name in _SHOWN if name in content}
        if "reason" in self.mark:
            facts["reason"] = self.mark["reason"]
        return facts

    def to_json(self) -> str:
        """All of it on one line."""
        return msgspec.json.encode(self).decode()


def list_marks(run: Path, scope: str | None = None) -> Iterator[Listed]:
    """List a run's marks in the order of writing.

    Raises:
        RunUsageError: The folder holds no run, or its space has no such scope.
    """
    config = read_record_of(run).configuration
    with reading(RunFolder(run), config) as marks:
        known = marks.scope_names()
        if scope is not None and not any(scope_contains(name, scope) for name in known):
            raise RunUsageError(f"no scope {scope!r} in {run}; there are: {', '.join(known)}")
        for sequence, mark in marks.space.history(scope=scope):
            yield _listed(sequence, mark)


def _listed(sequence: int, mark: AnyMark) -> Listed:
    return Listed(
        sequence=sequence,
        scope=mark.scope,
        mark_type=mark.mark_type.value,
        key=_key(mark),
        created_at=mark.created_at,
        confidence=mark.confidence if isinstance(mark, Observation | Intent) else None,
        mark=mark.model_dump(),
    )


def _key(mark: AnyMark) -> str:
    if isinstance(mark, Observation | Warning):
        return mark.topic
    return mark.resource if isinstance(mark, Action | Intent) else ""
