"""Edits that did not fit, by what tools say of them, in our words and in those of published traces.

Definition (docs/reference/detectors.md): a `str_replace` whose old text was not found, or not only
once, as the tool said.
"""

import re
from collections.abc import Iterator
from typing import Final, Literal

from hyperspace.runs.trace import ToolUse
from transfer_experiment.findings import Finding, FindingKind, Turn, in_turn

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
_LONGEST_COMPLAINT: Final = 2000
FAILED_EDITS: Final = FindingKind(
    name="failed_edits",
    title="edits that did not fit",
    order=100,
    columns=("agent", "generation", "path", "why", "evidence"),
)


@in_turn(FAILED_EDITS)
def failed_edits(turn: Turn) -> Iterator[Finding]:
    """Find replacements whose old text was not found, or not only once."""
    for call in turn.calls:
        is_edit = call.tool.name == "editor" and call.tool.argument("command") == "str_replace"
        why = _complaint(call.tool.result or "") if is_edit else None
        if why:
            path = call.tool.argument("path")
            text = f"an edit of {path}: its old text is {why}"
            evidence = (call.evidence(),)
            yield FAILED_EDITS.finding(
                turn.agent, turn.generation, evidence, text, path=path, why=why
            )


def is_unmade(tool: ToolUse) -> bool:
    """Return True if the tool said that it did not make an edit."""
    said = (tool.result or "").partition("\n")[0]
    return _complaint(said) is not None or said.lower().startswith("error")


def _complaint(result: str) -> Literal["not found", "not unique"] | None:
    """Return why an edit failed; one that was made shows code, which may hold any words."""
    words = result[:_LONGEST_COMPLAINT]
    if re.match(r"\s*(?:edited|replaced|the file .{1,300} has been edited)\b", words, re.I):
        return None
    if _NOT_UNIQUE.search(words):
        return "not unique"
    return "not found" if _NOT_FOUND.search(words) else None
