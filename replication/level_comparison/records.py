"""What a comparison of levels says, in one form for terminal, CSV and JSON; None is not known."""

from typing import Final, Literal

import msgspec

from replication.level_comparison.names import ARENA, RANDOM_CASES, SHUFFLED
from replication.report.statistics.median import Spread

Measure = Literal["test", "adversarial", "drop"]
CONTRASTS: Final[tuple[tuple[str, str, Measure], ...]] = (
    ("loop", "best of N", "test"),
    ("feedback", "loop", "test"),
    ("feedback", SHUFFLED, "test"),
    ("hyperagent", "loop", "test"),
    ("hyperagent", "feedback", "test"),
    (ARENA, "loop", "test"),
    (ARENA, "loop", "adversarial"),
    (ARENA, "loop", "drop"),
    (ARENA, RANDOM_CASES, "drop"),
)
"""What was asked before anything was played: each idea against the one before, and controls."""

LEAST_COVERAGE: Final = 0.9  # of an interval that separates two levels: 5 seeds have 0.9375
Verdict = Literal["higher", "lower", "not separable", "too few seeds"]


class LevelRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a level.

    Attributes:
        task: The domain's name.
        experiment: Its experiment, which names model and budget.
        level: One of `LEVELS`.
        seed: The run seed.
        test: Score on the original sealed test split.
        adversarial: Score on the final adversarial suite of its seed; None where there is none.
        drop: What of the test score is lost there; None where there is no such suite.
        cases: Cases of that suite.
        val: Best validation score; of an arena, on the live suite of its last round.
        tries: Generations that were made after the seed, the one that the budget ended included; of
            an arena, those of solvers.
        calls: Model calls of the search, as the ledger has them.
        tokens: Tokens of the search, sent and received.
        usd: What it cost; None if a price is not known.
        code_bytes: Size of the best generation's task_agent.py.
        run: Its folder.
    """

    task: str
    experiment: str
    level: str
    seed: int
    test: float | None
    adversarial: float | None = None
    drop: float | None = None
    cases: int | None = None
    val: float | None
    tries: int
    calls: int | None
    tokens: int | None
    usd: float | None
    code_bytes: int | None
    run: str


class LevelSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A level on a task: medians over its seeds, with an interval where scores are compared."""

    task: str
    experiment: str
    level: str
    control: bool
    seeds: tuple[int, ...]
    test: Spread | None
    adversarial: Spread | None
    drop: Spread | None
    val: Spread | None
    tries: float
    calls: float | None
    tokens: float | None
    usd: float | None
    code_bytes: float | None


class Contrast(msgspec.Struct, frozen=True, kw_only=True):
    """Two levels on the seeds that both have.

    Attributes:
        measure: By what: score on test or on the final adversarial suite, or the drop between them.
        difference: Median of first minus second over the seeds, with its interval.
        above: On how many seeds the first is better.
        ties: On how many both are equal.
        p: Wilcoxon's signed ranks, exact and two-sided, not corrected for other contrasts.
        verdict: `higher` or `lower` (of the measure) where the interval leaves 0 out.
    """

    task: str
    experiment: str
    first: str
    second: str
    measure: Measure
    seeds: tuple[int, ...]
    difference: Spread | None
    above: int
    ties: int
    p: float | None
    verdict: Verdict


class LevelComparison(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is said of some levels.

    Attributes:
        version: Of this form.
        budget: Calls that each search had.
        summaries: By task and level.
        contrasts: By task, in the order of `CONTRASTS`.
        runs: Behind them.
    """

    version: int = 2
    budget: int
    summaries: tuple[LevelSummary, ...]
    contrasts: tuple[Contrast, ...]
    runs: tuple[LevelRun, ...]
