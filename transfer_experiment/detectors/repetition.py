"""Repetition within one generation: doom loops, repeated views, and an exhausted budget.

Definitions (docs/reference/detectors.md): a *doom loop* is 3 or more identical consecutive tool
calls: the same tool with equal arguments, whatever the order of their keys, with no other call
between them. A *repeated view* is one path viewed twice or more, with the editor or by a command
that prints it. A budget is *exhausted* with 38 or more of 40 tool calls.
"""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from transfer_experiment.detectors.failures import failed
from transfer_experiment.detectors.records import DoomLoop, Exhaustion, RepeatedView
from transfer_experiment.turns.tool_calls import Act, Acts

SHORTEST_LOOP: Final = 3
EXHAUSTED: Final = 38
_PATTERN_SIGNS: Final = frozenset("*?[")


def doom_loops(agent: str, done: Acts) -> Iterator[DoomLoop]:
    """Find runs of identical calls."""
    for _, group in groupby(done.acts, key=_identity):
        calls = list(group)
        if len(calls) >= SHORTEST_LOOP:
            ends = calls[0].evidence(), calls[-1].evidence()
            told = [act.tool.result for act in calls if act.tool.result is not None]
            has_failed = bool(told) and all(failed(result) for result in told)
            yield DoomLoop(agent, done.generation, len(calls), has_failed, ends)


def _identity(act: Act) -> tuple[str, object]:
    arguments = act.tool.arguments
    return act.tool.name, act.tool.text if arguments is None else sorted(arguments.items(), key=str)


def exhaustion(agent: str, done: Acts) -> Exhaustion | None:
    """Tell whether a generation used its tool calls up."""
    if len(done.acts) < EXHAUSTED:
        return None
    return Exhaustion(agent, done.generation, len(done.acts), (done.acts[-1].evidence(),))


def repeated_views(agent: str, done: Acts) -> Iterator[RepeatedView]:
    """Find the paths that were viewed more than once."""
    views: dict[str, list[Act]] = {}
    for act in done.acts:
        for path in {access.path for access in act.reach.accesses if access.way == "read"}:
            if not _PATTERN_SIGNS & set(path):
                views.setdefault(path, []).append(act)
    for path, acts in views.items():
        if len(acts) > 1:
            evidence = acts[0].evidence(), acts[-1].evidence()
            yield RepeatedView(agent, done.generation, path, len(acts), evidence)
