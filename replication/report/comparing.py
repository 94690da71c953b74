"""Comparing arms: the paired test, what it could have shown, and what may be said."""

from collections.abc import Sequence
from itertools import combinations
from statistics import stdev

import msgspec

from replication.report.reading.records import Run
from replication.report.records import ALPHA, Arm, Comparison, Measure, Noise, Verdict
from replication.report.statistics.paired import (
    difference_interval,
    differences,
    hodges_lehmann,
    signed_rank,
    smallest_p,
)
from replication.report.statistics.power import detectable
from replication.report.statistics.several import best_case, holm
from replication.report.statistics.unpaired import cliffs_delta, rank_sum


def compare(
    arms: Sequence[Arm], measure: Measure, *, against: str | None = None
) -> list[Comparison]:
    """Compare arms two by two.

    Controls are compared with arms of interest, not with each other, and A/A arms with none: what
    they say is the noise floor, and each comparison more makes all others weaker.

    Args:
        arms: In the order in which they are shown.
        measure: On what.
        against: Compare only with this one: fewer comparisons can show more.

    Returns:
        One for each two arms that both have a score of this measure.
    """
    known = [arm for arm in arms if _scores(arm, measure)]
    couples = [
        (first, second)
        for first, second in combinations(known, 2)
        if _is_asked(first, second, against)
    ]
    return _judged([_measured(*couple, measure, len(couples)) for couple in couples])


def with_noise(comparison: Comparison, noise: Sequence[Noise]) -> Comparison:
    """Say whether a difference in validation is within what differs where nothing does."""
    if not noise or comparison.difference is None or comparison.measure != "val":
        return comparison
    floor = max(found.largest for found in noise)
    return msgspec.structs.replace(comparison, within_noise=abs(comparison.difference) <= floor)


def _is_asked(first: Arm, second: Arm, against: str | None) -> bool:
    if any(arm.control == "aa" and arm.name != against for arm in (first, second)):
        return False
    if against is not None:
        return against in (first.name, second.name)
    return not (first.control and second.control)


def _scores(arm: Arm, measure: Measure) -> dict[int, float]:
    scores = {run.seed: _score(run, measure) for run in arm.runs}
    return {seed: score for seed, score in scores.items() if score is not None}


def _score(run: Run, measure: Measure) -> float | None:
    return run.best_val if measure == "val" else run.test


def _measured(first: Arm, second: Arm, measure: Measure, comparisons: int) -> Comparison:
    ours, theirs = _scores(first, measure), _scores(second, measure)
    seeds = sorted(ours.keys() & theirs.keys())
    diffs = differences([ours[seed] for seed in seeds], [theirs[seed] for seed in seeds])
    test = signed_rank(diffs)
    interval = difference_interval(diffs, ALPHA)
    return Comparison(
        measure=measure,
        first=first.name,
        second=second.name,
        seeds=tuple(seeds),
        difference=hodges_lehmann(diffs) if diffs else None,
        low=None if interval is None else interval[0],
        high=None if interval is None else interval[1],
        p=test.p,
        p_holm=test.p,
        smallest_p=smallest_p(len(seeds)),
        rank_biserial=test.rank_biserial,
        cliffs_delta=cliffs_delta(list(ours.values()), list(theirs.values())),
        unpaired_p=rank_sum(list(ours.values()), list(theirs.values())),
        detectable=_detectable(diffs, comparisons),
        verdict="not separable",
    )


def _detectable(diffs: Sequence[float], comparisons: int) -> float | None:
    deviations = detectable(len(diffs), ALPHA / comparisons)
    return None if deviations is None else deviations * stdev(diffs)


def _judged(found: Sequence[Comparison]) -> list[Comparison]:
    ps = [comparison.p for comparison in found]
    adjusted = holm(ps)
    return [
        msgspec.structs.replace(
            comparison,
            p_holm=adjusted[at],
            verdict=_verdict(comparison, adjusted[at], best_case(ps, at, comparison.smallest_p)),
        )
        for at, comparison in enumerate(found)
    ]


def _verdict(comparison: Comparison, adjusted: float, best: float) -> Verdict:
    if not comparison.seeds:
        return "no seeds in common"
    if adjusted <= ALPHA:
        return "separable"
    return "not separable" if best <= ALPHA else "cannot be separated with this many seeds"
