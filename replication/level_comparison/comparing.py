"""From runs of levels to their comparison: medians over seeds, and differences seed by seed."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from replication.level_comparison.records import (
    CONTRASTS,
    CONTROLS,
    LEAST_COVERAGE,
    LEVEL_OF_ARM,
    Contrast,
    LevelComparison,
    LevelRun,
    LevelSummary,
    Verdict,
)
from replication.report.grouping import Experiment
from replication.report.statistics.median import Spread, median, spread_of
from replication.report.statistics.paired import differences, signed_rank
from runs.records import Run
from runs.spent import Spent, spent_by_generation


def comparison_of(experiments: Sequence[Experiment], budget: int) -> LevelComparison:
    """Compare the levels of each experiment.

    Args:
        experiments: Of runs of `hyperspace levels`; arms that are no level are left out.
        budget: Calls that each search had.
    """
    runs = [
        _level_run(run, experiment, LEVEL_OF_ARM[arm.name])
        for experiment in experiments
        for arm in sorted(experiment.arms, key=lambda arm: _place(arm.name))
        if arm.name in LEVEL_OF_ARM
        for run in arm.runs
    ]
    grouped: dict[tuple[str, str, str], list[LevelRun]] = {}
    for run in runs:
        grouped.setdefault((run.task, run.experiment, run.level), []).append(run)
    return LevelComparison(
        budget=budget,
        summaries=tuple(map(_summary, grouped.values())),
        contrasts=tuple(
            contrast
            for experiment in experiments
            for contrast in _contrasts(
                [r for r in runs if (r.task, r.experiment) == experiment[:2]],
                higher_is_better=experiment.higher_is_better is not False,
            )
        ),
        runs=tuple(runs),
    )


def _place(arm: str) -> int:
    names = [*LEVEL_OF_ARM]
    return names.index(arm) if arm in names else len(names)


def _level_run(run: Run, experiment: Experiment, level: str) -> LevelRun:
    (agent,) = run.agents
    spent = _search(run)
    return LevelRun(
        task=experiment.domain,
        experiment=experiment.name,
        level=level,
        seed=run.seed,
        test=run.test,
        val=run.best_val,
        tries=len(agent.evolved),
        calls=None if spent is None else spent.calls,
        tokens=None if spent is None else spent.tokens,
        usd=None if spent is None else spent.usd,
        code_bytes=None if agent.best is None else agent.best.code_bytes,
        run=run.source,
    )


def _search(run: Run) -> Spent | None:
    """Return what a run's generations took, without its final test; None where nobody knows."""
    by = spent_by_generation(Path(run.source))
    if not by and (run.spent is None or run.spent.calls):
        return None
    made = {(agent.name, row.generation) for agent in run.agents for row in agent.generations}
    search = [spent for turn, spent in by.items() if turn in made]
    prices = [spent.usd for spent in search]
    priced = [price for price in prices if price is not None]
    return Spent(
        sum(spent.calls for spent in search),
        sum(spent.tokens for spent in search),
        sum(priced) if len(priced) == len(prices) else None,
    )


def _summary(runs: Sequence[LevelRun]) -> LevelSummary:
    first = runs[0]
    return LevelSummary(
        task=first.task,
        experiment=first.experiment,
        level=first.level,
        control=first.level in CONTROLS,
        seeds=tuple(run.seed for run in runs),
        test=_spread(run.test for run in runs),
        val=_spread(run.val for run in runs),
        tries=median([run.tries for run in runs]),
        calls=_median(run.calls for run in runs),
        tokens=_median(run.tokens for run in runs),
        usd=_median(run.usd for run in runs),
        code_bytes=_median(run.code_bytes for run in runs),
    )


def _contrasts(runs: Sequence[LevelRun], *, higher_is_better: bool) -> Iterator[Contrast]:
    for first, second in CONTRASTS:
        ours, theirs = (
            {run.seed: run.test for run in runs if run.level == level and run.test is not None}
            for level in (first, second)
        )
        seeds = sorted(ours.keys() & theirs.keys())
        if not seeds:
            continue
        diffs = differences([ours[seed] for seed in seeds], [theirs[seed] for seed in seeds])
        spread = spread_of(diffs)
        yield Contrast(
            task=runs[0].task,
            experiment=runs[0].experiment,
            first=first,
            second=second,
            seeds=tuple(seeds),
            difference=spread,
            above=sum((diff > 0) is higher_is_better for diff in diffs if diff),
            ties=sum(not diff for diff in diffs),
            p=signed_rank(diffs).p,
            verdict=_verdict(spread),
        )


def _verdict(difference: Spread) -> Verdict:
    low, high = difference.low, difference.high
    if low is None or high is None or (difference.coverage or 0.0) < LEAST_COVERAGE:
        return "too few seeds"
    if low > 0:
        return "higher"
    return "lower" if high < 0 else "not separable"


def _spread(values: Iterable[float | None]) -> Spread | None:
    numbers = [value for value in values if value is not None]
    return spread_of(numbers) if numbers else None


def _median(values: Iterable[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    return median(numbers) if numbers else None
