"""One arm in numbers: medians over its seeds, rates over its generations."""

from collections.abc import Collection, Iterable, Sequence
from math import inf

from hyperspace.runs.records import Run
from replication.report.measures import value_of
from replication.report.records import (
    THRESHOLDS,
    Arm,
    ArmBudget,
    ArmSummary,
    Measure,
    Reached,
    SeedResult,
)
from replication.report.statistics.median import Spread, median, spread_of


def summary_of(
    arm: Arm,
    thresholds: Sequence[float] = THRESHOLDS,
    *,
    constant: Collection[Measure] = (),
    measures: Collection[Measure] = ("val", "test"),
) -> ArmSummary:
    """Sum an arm up.

    Args:
        arm: With its runs.
        thresholds: Scores that its runs are asked to have reached.
        constant: Measures by which all runs of all arms have one score: they get no interval.
        measures: Those that runs are compared by.
    """

    def value(run: Run, measure: Measure) -> float | None:
        return value_of(run, measure) if measure in measures else None

    def spread(measure: Measure) -> Spread | None:
        return _spread((value(r, measure) for r in arm.runs), is_constant=measure in constant)

    evolved = [row for run in arm.runs for agent in run.agents for row in agent.evolved]
    edits = [row.meta_edited for row in evolved if row.meta_edited is not None]
    return ArmSummary(
        arm=arm.name,
        control=arm.control,
        results=tuple(
            SeedResult(
                seed=run.seed,
                val=run.best_val,
                ensemble=run.ensemble,
                test=run.test,
                area=value(run, "area"),
                time_to=value(run, "time_to"),
                generation=None if best is None else best.generation,
                finished=run.finished,
                test_exposed=run.test_exposed,
                validation_bits=run.validation_bits,
            )
            for run in arm.runs
            for best in [run.best]
        ),
        val=spread("val"),
        ensemble=_median(run.ensemble for run in arm.runs),
        test=spread("test"),
        area=spread("area"),
        time_to=spread("time_to"),
        imp_at_k=_median(run.gain for run in arm.runs),
        evolved=len(evolved),
        scoring_rate=_share([(row.rank or 0.0) > 0 for row in evolved]),
        valid_rate=_share([row.valid for row in evolved]),
        self_modification_rate=_share(edits),
        self_modification_known=len(edits),
        code_bytes=_median(
            None if agent.best is None else agent.best.code_bytes
            for run in arm.runs
            for agent in run.agents
        ),
        reached=tuple(_reached(arm.runs, score) for score in thresholds),
        budget=_budget(arm.runs),
    )


def _reached(runs: Iterable[Run], score: float) -> Reached:
    """Sum up when runs reached a score; one that did not counts as later than any that did."""
    firsts: list[float] = []
    for run in runs:
        higher = run.higher_is_better
        agents = (row.first_reaching(score, higher_is_better=higher) for row in run.agents)
        # Without those that never did, a higher score could seem to be reached earlier.
        firsts.append(min((at for at in agents if at is not None), default=inf))
    middle = median(firsts) if firsts else inf
    reached = sum(at < inf for at in firsts)
    return Reached(score, reached, None if middle == inf else middle)


def _budget(runs: Sequence[Run]) -> ArmBudget:
    spent = [run.spent for run in runs if run.spent is not None]
    priced = [run_spent.usd for run_spent in spent if run_spent.usd is not None]
    everywhere = len(spent) == len(runs)
    return ArmBudget(
        agents=median([len(run.agents) for run in runs]),
        generations=median([run.played for run in runs]),
        candidates=median([run.candidates for run in runs]),
        calls=median([run_spent.calls for run_spent in spent]) if everywhere else None,
        tokens=median([run_spent.tokens for run_spent in spent]) if everywhere else None,
        usd=median(priced) if len(priced) == len(runs) else None,
    )


def _spread(values: Iterable[float | None], *, is_constant: bool) -> Spread | None:
    numbers = [value for value in values if value is not None]
    if numbers and is_constant:
        return Spread(len(numbers), numbers[0], None, None, None)
    return spread_of(numbers) if numbers else None


def _median(values: Iterable[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    return median(numbers) if numbers else None


def _share(flags: Sequence[bool]) -> float | None:
    return sum(flags) / len(flags) if flags else None
