"""The tries of a worker, as its reviewer sees them: what changed, what came of it, what was said.

Everything here is bounded by `--visible`, as what agents see is: the advice made of it reaches one.
"""

import ast
import io
import keyword
import re
import tokenize
from collections.abc import Iterator
from difflib import SequenceMatcher, unified_diff
from typing import Any, Final, Literal

import msgspec

from guards.parsing import parse_python
from hyperspace.kernel.evaluation.failures import error_in_sight
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate
from hyperspace.kernel.state.archive import Archive, ArchiveEntry
from hyperspace.kernel.state.manifest import Manifest
from hyperspace.options.advice import Advice
from hyperspace.tasks.base import Domain
from hyperspace.tasks.shapes.graded import item_scores
from hyperspace.tasks.table import normalise

Followed = Literal["yes", "no", "unknown"]
TASK_AGENT: Final = "task_agent.py"
LONGEST_HISTORY: Final = 60_000  # characters of tries that are told in full, the newest first
_LONGEST_DIFF: Final = 6_000
_LONGEST_INPUT: Final = 300
_LONGEST_FAILING: Final = 30_000  # characters of failing items that are shown with their inputs
_SHORTEST_NAME: Final = 3


def tries_so_far(attempt: Attempt, candidate: Candidate, own: Archive) -> Iterator[dict[str, Any]]:
    """Yield the tries of a worker, the newest first; older ones without what is long.

    Args:
        attempt: The attempt that made the newest.
        candidate: The newest.
        own: The agent's generations before it.
    """
    context, agent = attempt.context, attempt.who.name
    manifest = candidate.manifest(context, (), ())
    newest = _told(attempt, manifest, own.preview(manifest))
    before = context.marks.code(agent, candidate.forked_from or 0).get(TASK_AGENT, "")
    newest |= _in_full(attempt, manifest, before, candidate.code.get(TASK_AGENT, ""))
    newest["failing"] = failing_items(context.domain, manifest) if _shown(attempt) else []
    yield newest
    room, after = LONGEST_HISTORY, (before, candidate.code.get(TASK_AGENT, ""))
    for entry in reversed(own.in_sight.entries):
        if entry.given_up is True:  # no try of the worker's
            continue
        if room < 0:
            yield _line(attempt, entry)
            continue
        manifest = context.marks.closing(agent, entry.generation).manifest
        told = _told(attempt, manifest, entry)
        code = context.marks.code(agent, entry.generation).get(TASK_AGENT, "")
        parent = code
        if manifest.parent is not None:
            parent = context.marks.code(agent, manifest.parent).get(TASK_AGENT, "")
        told |= _in_full(attempt, manifest, parent, code)
        if manifest.advice is not None:
            told["advice"] = msgspec.to_builtins(manifest.advice)
            told["advice_followed"] = was_followed(manifest.advice, *after)
        after = (parent, code)
        room -= len(str(told))
        yield told


def failing_items(domain: Domain, manifest: Manifest) -> list[dict[str, Any]]:
    """Return the train items that a generation got wrong, the first of them with their inputs."""
    train = manifest.splits.get("train")
    if train is None:
        return []
    scores = item_scores(domain, "train", train.predictions)
    labels, failing = domain.labels("train"), list[dict[str, Any]]()
    evaluated, room = {*train.predictions, *train.errors}, _LONGEST_FAILING
    for item in domain.items("train"):
        prediction = train.predictions.get(item.id)
        is_right = normalise(prediction) == normalise(labels[item.id])
        if item.id not in evaluated or (scores[item.id] >= 1 if scores else is_right):
            continue
        told: dict[str, Any] = {"id": item.id, "prediction": _short(prediction)}
        told |= {"score": scores[item.id]} if scores else {"label": labels[item.id]}
        if room > 0:
            told["inputs"] = {name: _short(value) for name, value in item.inputs.items()}
            room -= len(str(told))
        failing.append(told)
    return failing


def was_followed(advice: Advice, before: str, after: str) -> Followed:
    """Return whether a change touches a name of the code that advice names.

    Args:
        advice: What was said before it.
        before: The code that was changed.
        after: What it became.

    Returns:
        `unknown` where the advice names nothing of the code.
    """
    if before == after:
        return "no"
    words = set(re.findall(r"\w+", f"{advice.issue_type} {advice.fix}"))
    named = words & (_names(before) | _names(after))
    if not named:
        return "unknown"
    return "yes" if named & _touched(before, after) else "no"


def _touched(before: str, after: str) -> set[str]:
    """Words of the lines that a change touches, and what is defined around them."""
    texts, touched = (before.splitlines(), after.splitlines()), set[str]()
    matcher = SequenceMatcher(None, *texts, autojunk=False)
    for tag, *spans in matcher.get_opcodes():
        if tag == "equal":
            continue
        for lines, code, start, end in zip(
            texts, (before, after), spans[::2], spans[1::2], strict=True
        ):
            touched.update(re.findall(r"\w+", "\n".join(lines[start:end])))
            touched |= _around(code, start + 1, end)
    return touched


def _around(code: str, first: int, last: int) -> set[str]:
    """Names of the functions, classes and constants that some lines of code are in."""
    try:
        nodes = list(ast.walk(parse_python(code)))
    except SyntaxError:
        return set()
    names = set[str]()
    for node in nodes:
        if isinstance(node, ast.stmt) and node.lineno <= last and first <= (node.end_lineno or 0):
            match node:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    names.add(name)
                case ast.Assign(targets=[ast.Name(id=name)]):
                    names.add(name)
                case _:
                    pass
    return names


def _told(attempt: Attempt, manifest: Manifest, entry: ArchiveEntry) -> dict[str, Any]:
    visible = attempt.context.config.visible
    error = error_in_sight(manifest.error, by_class=visible.val == "scores")
    return _line(attempt, entry) | ({"error": error} if error else {})


def _line(attempt: Attempt, entry: ArchiveEntry) -> dict[str, Any]:
    """Tell of a try what is known of it without its code."""
    visible = attempt.context.config.visible
    told: dict[str, Any] = {"try": entry.generation, "of": entry.parent, "valid": entry.valid}
    told |= visible.scores(entry.train_score, entry.val_score)
    return told | {"kept": entry.is_best}


def _in_full(attempt: Attempt, manifest: Manifest, before: str, after: str) -> dict[str, Any]:
    told: dict[str, Any] = {"diff": "\n".join(_diff(before, after))[:_LONGEST_DIFF]}
    if _shown(attempt):
        failing = failing_items(attempt.context.domain, manifest)
        told["failing"] = [item["id"] for item in failing]
    return told


def _shown(attempt: Attempt) -> bool:
    return attempt.context.config.visible.train == "full"


def _diff(before: str, after: str) -> Iterator[str]:
    return unified_diff(
        before.splitlines(), after.splitlines(), "before", "after", lineterm="", n=1
    )


def _names(code: str) -> set[str]:
    """Names in code, those in its strings that look like one included; no keywords."""
    names = set[str]()
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            text = token.string.strip("'\"")
            if token.type in (tokenize.NAME, tokenize.STRING) and text.isidentifier():
                names.add(text)
    except (tokenize.TokenError, SyntaxError):
        pass  # what was read until then counts
    return {n for n in names if len(n) >= _SHORTEST_NAME and not keyword.iskeyword(n)}


def _short(value: object) -> object:
    """Numbers as they are, anything else as a short text."""
    return value if isinstance(value, int | float) else str(value)[:_LONGEST_INPUT]
