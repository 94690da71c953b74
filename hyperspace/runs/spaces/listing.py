"""Marks as lines: JSON objects for tools, one line of plain text for people."""

from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import msgspec

from guards.scope import changes
from hyperspace.runs.spaces.opening import Kept
from hyperspace.tasks.base import SPLITS
from markspace import Action, AnyMark, Intent, Need, Observation, Warning

MAX_WORD, MAX_QUESTION = 60, 400
ENCODER = msgspec.json.Encoder()


class Wording(NamedTuple):
    """How to speak of marks.

    Attributes:
        confidence: What confidence means here.
        content: Keys of an observation's content to show, in this order; None shows every short
            value.
        closings: Whether results are spoken of as the generations that they close.
    """

    confidence: str = "confidence"
    content: tuple[str, ...] | None = None
    closings: bool = False


PLAIN = Wording()
OF_A_RUN = Wording("fitness", ("model", "generation", "train_score", "val_score"), closings=True)


def to_json(kept: Kept) -> bytes:
    """Return all of a mark on one line, without the line's end. Bytes are in base64."""
    position = {
        "sequence": kept.sequence,
        "state": kept.state,
        "superseded_by": kept.superseded_by,
    }
    return ENCODER.encode(position | kept.mark.model_dump())


def to_text(kept: Kept, wording: Wording = PLAIN) -> str:
    """Return what a person wants to know of a mark at a glance, on one line."""
    mark = kept.mark
    facts_by_name = dict(facts(mark, wording))
    if kept.superseded_by is not None:
        facts_by_name["superseded_by"] = kept.superseded_by
    heading = (
        f"{mark.mark_type.value:<12} {printable(mark.scope):<28} {printable(key_of(mark)):<10}"
    )
    words = " ".join(f"{name}={printable(str(value))}" for name, value in facts_by_name.items())
    return f"{kept.sequence:>6}  {heading} {words}".rstrip()


def key_of(mark: AnyMark) -> str:
    """Return a mark's topic or resource; empty if it has neither."""
    if isinstance(mark, Observation | Warning):
        return mark.topic
    return mark.resource if isinstance(mark, Action | Intent) else ""


def facts(mark: AnyMark, wording: Wording) -> Iterator[tuple[str, Any]]:
    """Return names and values."""
    if isinstance(mark, Intent | Action):
        yield "action", mark.action
    if isinstance(mark, Intent | Observation):
        yield wording.confidence, mark.confidence
    if isinstance(mark, Observation):
        yield from content_facts(mark.content, wording)
    elif isinstance(mark, Action):
        yield from result_facts(mark, wording)
    elif isinstance(mark, Warning):
        yield from (("severity", mark.severity.value), ("reason", mark.reason))
    elif isinstance(mark, Need):
        yield from (("priority", mark.priority), ("blocking", mark.blocking))
        yield "question", mark.question


def content_facts(content: Any, wording: Wording) -> Iterator[tuple[str, Any]]:
    """Return the short values of an observation's content."""
    if not isinstance(content, dict):
        if content is not None:
            yield "content", brief(content)
        return
    values = cast("dict[Any, Any]", content)
    for name in values if wording.content is None else wording.content:
        if name in values and not isinstance(values[name], dict | list):
            yield printable(str(name)), values[name]


def result_facts(mark: Action, wording: Wording) -> Iterator[tuple[str, Any]]:
    """Return what came of an action, or how it failed."""
    result: Any = mark.result
    if mark.failed:
        said = isinstance(result, dict) and "error" in result
        yield "failed", result["error"] if said else brief(cast("Any", result))
    elif wording.closings and (closed := dict(closing_facts(result))):
        yield from closed.items()
    elif result is not None:
        yield "result", brief(result)


def closing_facts(result: Any) -> Iterator[tuple[str, Any]]:
    """Return what a generation came to; nothing for a result that closes none."""
    # Read key by key: a stranger's space, or one of another version, may hold anything.
    closing = mapping(result)
    manifest = mapping(closing.get("manifest"))
    splits = mapping(manifest.get("splits"))
    for name, values in (("parent", manifest), *((split, splits) for split in SPLITS)):
        value = values.get(name)
        value = mapping(value).get("score") if name in SPLITS else value
        if isinstance(value, int | float):
            yield name, value
    if manifest.get("error"):
        yield "error", brief(manifest["error"])
    if manifest and isinstance(closing.get("calls"), int):
        yield "calls", closing["calls"]


def mapping(value: Any) -> dict[Any, Any]:
    """Return a value if it is a mapping, else an empty one."""
    return cast("dict[Any, Any]", value) if isinstance(value, dict) else {}


def brief(value: Any) -> str:
    """Return a payload as text: a short form of a large one."""
    if isinstance(value, dict):
        names = ", ".join(str(name) for name in cast("dict[Any, Any]", value))
        return f"{{{names}}}"
    return str(value)


def printable(text: str, limit: int = MAX_WORD) -> str:
    """Return text that takes one line and cannot steer a terminal, cut if it is long.

    Agents write marks; what they write is not trusted with the terminal.
    """
    return changes.printable(text if len(text) <= limit else text[: limit - 3] + "...")
