"""Repetition within one generation: doom loops, repeated views, and an exhausted budget.

Definitions (docs/reference/detectors.md): a *doom loop* is 3 or more identical consecutive tool
calls: the same tool with equal arguments, whatever the order of their keys, with no other call
between them. A *repeated view* is one path viewed twice or more with the
editor. A budget is *exhausted* with 38 or more of 40 tool calls.
"""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final

from transfer_experiment.findings import Finding, FindingKind, Measure, Turn, in_turn
from transfer_experiment.turns.tool_calls import TracedCall

SHORTEST_LOOP: Final = 3
EXHAUSTED: Final = 38
_FAILED: Final = re.compile(r"\s*error\b|.*\[exit code (?!0\])-?\d+\]\s*\Z", re.I | re.DOTALL)
_LONGEST_COMPLAINT: Final = 2000
DOOM_LOOPS: Final = FindingKind(
    name="doom_loops",
    title="repeated one call three times or more",
    order=70,
    columns=("agent", "generation", "calls", "failed", "evidence"),
    measure=Measure("doom_loop"),
)
EXHAUSTIONS: Final = FindingKind(
    name="exhaustions",
    title="used up its tool calls",
    order=80,
    columns=("agent", "generation", "calls", "evidence"),
)
REPEATED_VIEWS: Final = FindingKind(
    name="repeated_views",
    title="viewed one path again",
    order=90,
    columns=("agent", "generation", "path", "views", "evidence"),
)


@in_turn(DOOM_LOOPS)
def doom_loops(turn: Turn) -> Iterator[Finding]:
    """Find runs of identical calls; failed ones are those of which each result says so."""
    for _, group in groupby(turn.calls, key=_identity):
        calls = list(group)
        if len(calls) >= SHORTEST_LOOP:
            results = [call.tool.result for call in calls if call.tool.result is not None]
            yield DOOM_LOOPS.finding(
                turn.agent,
                turn.generation,
                (calls[0].evidence(), calls[-1].evidence()),
                f"repeated one call {len(calls)} times",
                calls=len(calls),
                failed=bool(results) and all(failed(result) for result in results),
            )


def _identity(call: TracedCall) -> tuple[str, object]:
    tool = call.tool
    return tool.name, tool.text if tool.arguments is None else sorted(
        tool.arguments.items(), key=str
    )


def failed(result: str) -> bool:
    """Return True if a tool said that a call failed."""
    return bool(_FAILED.match(result[-_LONGEST_COMPLAINT:]) or _FAILED.match(result[:20]))


@in_turn(EXHAUSTIONS)
def exhaustions(turn: Turn) -> Iterator[Finding]:
    """Find out if a generation used its tool calls up."""
    calls = turn.calls
    if len(calls) >= EXHAUSTED:
        text = f"made {len(calls)} tool calls"
        evidence = (calls[-1].evidence(),)
        yield EXHAUSTIONS.finding(turn.agent, turn.generation, evidence, text, calls=len(calls))


@in_turn(REPEATED_VIEWS)
def repeated_views(turn: Turn) -> Iterator[Finding]:
    """Find the paths that were viewed more than once."""
    views: dict[str, list[TracedCall]] = {}
    for call in turn.calls:
        if call.viewed:
            views.setdefault(call.viewed, []).append(call)
    for path, calls in views.items():
        if len(calls) > 1:
            yield REPEATED_VIEWS.finding(
                turn.agent,
                turn.generation,
                (calls[0].evidence(), calls[-1].evidence()),
                f"viewed {path} {len(calls)} times",
                path=path,
                views=len(calls),
            )
