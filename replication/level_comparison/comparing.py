"""From runs of levels to their comparison: medians over seeds, and differences seed by seed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from msgspec.structs import replace

from hyperspace.extensions.arena.finished import best_solver
from hyperspace.runs.records import Run
from hyperspace.runs.spent import Spent, spent_by_generation
from replication.level_comparison.names import CONTROLS, LEVEL_OF_ARM
from replication.level_comparison.records import (
    CONTRASTS,
    LEAST_COVERAGE,
    Contrast,
    LevelComparison,
    LevelRun,
    LevelSummary,
    Measure,
    Verdict,
)
from replication.report.grouping import Experiment
from replication.report.statistics.median import Spread, median, spread_that_holds
from replication.report.statistics.paired import differences, signed_rank


class PlayedArena(NamedTuple):
    """An arena of a set of levels.

    Attributes:
        experiment: The name of the experiment whose levels it is compared with.
        level: `arena`, or the control `random cases`.
        run: What was played.
    """

    experiment: str
    level: str
    run: Run


class Hardness(NamedTuple):
    """How a run's best code does on the final adversarial suite of its seed.

    Attributes:
        score: The share of right answers.
        cases: How many there are.
    """

    score: float
    cases: int


def comparison_of(
    experiments: Sequence[Experiment],
    budget: int,
    arenas: Sequence[PlayedArena] = (),
    hardness: Mapping[str, Hardness] = MappingProxyType({}),
) -> LevelComparison:
    """Compare the levels of each experiment.

    Args:
        experiments: Of runs of `hyperspace levels`; arms that are no level are left out.
        budget: Calls that each search had.
        arenas: Of the same set.
        hardness: By the source of a run; nothing of runs for which there is no suite.
    """
    runs = [
        _level_run(run, experiment, LEVEL_OF_ARM[arm.name])
        for experiment in experiments
        for arm in sorted(experiment.arms, key=lambda arm: _place(arm.name))
        if arm.name in LEVEL_OF_ARM
        for run in arm.runs
    ]
    runs += map(_arena_run, arenas)
    runs = [_with_hardness(run, hardness.get(run.run)) for run in runs]
    grouped: dict[tuple[str, str, str], list[LevelRun]] = {}
    for run in runs:
        grouped.setdefault((run.task, run.experiment, run.level), []).append(run)
    downward = {each[:2] for each in experiments if each.higher_is_better is False}
    downward |= {
        (arena.run.domain, arena.experiment)
        for arena in arenas
        if arena.run.higher_is_better is False
    }
    return LevelComparison(
        budget=budget,
        summaries=tuple(map(_summary, grouped.values())),
        contrasts=tuple(
            contrast
            for setting in dict.fromkeys((run.task, run.experiment) for run in runs)
            for contrast in _contrasts(
                [run for run in runs if (run.task, run.experiment) == setting],
                higher_is_better=setting not in downward,
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


def _arena_run(arena: PlayedArena) -> LevelRun:
    run = arena.run
    best, spent = best_solver(Path(run.source)), _search(run)
    return LevelRun(
        task=run.domain,
        experiment=arena.experiment,
        level=arena.level,
        seed=run.seed,
        test=next(agent.test for agent in run.agents if agent.name == best.agent),
        val=best.val_score,
        tries=sum(len(agent.evolved) for agent in run.agents if agent.best is not None),
        calls=None if spent is None else spent.calls,
        tokens=None if spent is None else spent.tokens,
        usd=None if spent is None else spent.usd,
        code_bytes=len(best.code["task_agent.py"].encode()),
        run=run.source,
    )


def _with_hardness(run: LevelRun, hardness: Hardness | None) -> LevelRun:
    if hardness is None:
        return run
    drop = None if run.test is None else round(run.test - hardness.score, 9)
    return replace(run, adversarial=hardness.score, drop=drop, cases=hardness.cases)


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
        adversarial=_spread(run.adversarial for run in runs),
        drop=_spread(run.drop for run in runs),
        val=_spread(run.val for run in runs),
        tries=median([run.tries for run in runs]),
        calls=_median(run.calls for run in runs),
        tokens=_median(run.tokens for run in runs),
        usd=_median(run.usd for run in runs),
        code_bytes=_median(run.code_bytes for run in runs),
    )


def _contrasts(runs: Sequence[LevelRun], *, higher_is_better: bool) -> Iterator[Contrast]:
    for first, second, measure in CONTRASTS:
        is_up = higher_is_better is (measure != "drop")
        ours, theirs = (_by_seed(runs, level, measure) for level in (first, second))
        seeds = sorted(ours.keys() & theirs.keys())
        if not seeds:
            continue
        diffs = differences([ours[seed] for seed in seeds], [theirs[seed] for seed in seeds])
        spread = spread_that_holds(diffs, LEAST_COVERAGE)
        yield Contrast(
            task=runs[0].task,
            experiment=runs[0].experiment,
            first=first,
            second=second,
            measure=measure,
            seeds=tuple(seeds),
            difference=spread,
            above=sum((diff > 0) is is_up for diff in diffs if diff),
            ties=sum(not diff for diff in diffs),
            p=signed_rank(diffs).p,
            verdict=_verdict(spread),
        )


def _by_seed(runs: Sequence[LevelRun], level: str, measure: Measure) -> dict[int, float]:
    values = {run.seed: getattr(run, measure) for run in runs if run.level == level}
    return {seed: value for seed, value in values.items() if value is not None}


def _verdict(difference: Spread) -> Verdict:
    low, high = difference.low, difference.high
    if low is None or high is None or (difference.coverage or 0.0) < LEAST_COVERAGE:
        return "too few seeds"
    if low > 0:
        return "higher"
    return "lower" if high < 0 else "not separable"


def _spread(values: Iterable[float | None]) -> Spread | None:
    numbers = [value for value in values if value is not None]
    return spread_that_holds(numbers, LEAST_COVERAGE) if numbers else None


def _median(values: Iterable[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    return median(numbers) if numbers else None
