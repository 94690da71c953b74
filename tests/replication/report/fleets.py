"""Runs of a fleet by hand: its arms, with the measure that its file set."""

from collections.abc import Mapping, Sequence
from typing import Any

from hyperspace.options.fleet import TeamMeasure
from hyperspace.runs.records import Generation, Run, RunAgent

Scores = Sequence[float | None]
TEAM_TEST = TeamMeasure()


def team(
    arm: str,
    seed: int,
    agents: Sequence[Scores],
    tests: Sequence[float | None] = (),
    measure: TeamMeasure | None = TEAM_TEST,
    **more: Any,
) -> Run:
    """A run of several agents; None is an invalid generation."""
    shown = arm.partition("_")[2] or "sharing"
    terms: dict[str, object] = {"arm": shown, "show": "best"}
    if shown in ("copies", "alone"):
        terms = {"arm": "none", "show": "best", "equal_cost": shown}
    if shown == "aa":
        terms, more = {"arm": "sharing", "show": "best"}, {"stream": "aa", **more}
    played = tuple(
        RunAgent(
            f"agent{turn}",
            tuple(
                Generation(generation=at, valid=val is not None, val=val)
                for at, val in enumerate(vals)
            ),
            tests[turn] if turn < len(tests) else None,
            planned=len(vals) - 1,
        )
        for turn, vals in enumerate(agents)
    )
    source = f"/runs/{arm}/seed{seed}"
    fields: dict[str, Any] = {"terms": terms, "measure": measure, **more}
    return Run(arm=arm, seed=seed, source=source, agents=played, **fields)


def arms_by_test(tests: Mapping[str, Sequence[float]], **more: Any) -> list[Run]:
    """Runs of arms whose teams' best agents have these test scores, seed by seed."""
    return [
        team(arm, seed, [[0.5, 0.6], [0.5, 0.55]], [score, 0.9], **more)
        for arm, scores in tests.items()
        for seed, score in enumerate(scores, 1)
    ]
