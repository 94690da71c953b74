"""What tools say when something fails, in our words and in those of published traces."""

import re
from collections.abc import Iterator
from typing import Final, Literal

from transfer_experiment.detectors.records import FailedEdit
from transfer_experiment.turns.tool_calls import Acts

_NOT_UNIQUE: Final = re.compile(
    r"not unique|multiple (?:occurrences|matches)|(?:found|occurs|appears) (?:[2-9]|\d{2,}) times|"
    r"more than once",
    re.IGNORECASE,
)
_NOT_FOUND: Final = re.compile(
    r"not found|did(?: not|n't) appear|no match|does(?: not|n't) (?:occur|exist|appear)|"
    r"no replacement was performed|could(?: not|n't) find",
    re.IGNORECASE,
)
_FAILED: Final = re.compile(r"\s*error\b|.*\[exit code (?!0\])-?\d+\]\s*\Z", re.I | re.DOTALL)
_LONGEST_COMPLAINT: Final = 2000


def failed(result: str) -> bool:
    """Whether a tool said that a call failed."""
    return bool(_FAILED.match(result[-_LONGEST_COMPLAINT:]) or _FAILED.match(result[:20]))


def failed_edits(agent: str, done: Acts) -> Iterator[FailedEdit]:
    """Find replacements whose old text was not found, or not only once."""
    for act in done.acts:
        is_edit = act.tool.name == "editor" and act.tool.argument("command") == "str_replace"
        why = _complaint(act.tool.result or "") if is_edit else None
        if why:
            path = act.tool.argument("path")
            yield FailedEdit(agent, done.generation, path, why, (act.evidence(),))


def _complaint(result: str) -> Literal["not found", "not unique"] | None:
    """Why an edit failed; an edit that was made shows code, which may hold any words."""
    told = result[:_LONGEST_COMPLAINT]
    if re.match(r"\s*(?:edited|replaced|the file .{1,300} has been edited)\b", told, re.IGNORECASE):
        return None
    if _NOT_UNIQUE.search(told):
        return "not unique"
    return "not found" if _NOT_FOUND.search(told) else None
