"""Comparing arms: the paired test, what it could have shown, and what may be said."""

from collections.abc import Sequence
from itertools import combinations
from statistics import stdev

import msgspec

from replication.report.comparable import ITEMS, differs_in
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
    scored = [arm for arm in arms if _scores(arm, measure)]
    couples = [
        (first, second)
        for first, second in combinations(scored, 2)
        if _is_asked(first, second, against)
    ]
    tests = sum(bool(_seeds(*couple, measure)) for couple in couples)
    return _judged([_measured(*couple, measure, tests) for couple in couples])


def with_noise(comparison: Comparison, noise: Sequence[Noise]) -> Comparison:
    """Mark whether a difference in validation is within the noise floor."""
    if not noise or comparison.difference is None or comparison.measure != "val":
        return comparison
    floor = max(row.largest for row in noise)
    return msgspec.structs.replace(comparison, within_noise=abs(comparison.difference) <= floor)


def _is_asked(first: Arm, second: Arm, against: str | None) -> bool:
    if any(arm.control == "aa" and arm.name != against for arm in (first, second)):
        return False
    if against is not None:
        return against in (first.name, second.name)
    return not (first.control and second.control)


def _scores(arm: Arm, measure: Measure) -> dict[int, float]:
    scores = {run.seed: run.best_val if measure == "val" else run.test for run in arm.runs}
    return {seed: score for seed, score in scores.items() if score is not None}


def _seeds(first: Arm, second: Arm, measure: Measure) -> list[int]:
    """Return the seeds that make pairs: none where scores are of other items."""
    if not _same_items(first, second, measure):
        return []
    return sorted(_scores(first, measure).keys() & _scores(second, measure).keys())


def _same_items(first: Arm, second: Arm, measure: Measure) -> bool:
    return not set(differs_in(first, second)) & set(ITEMS[measure])


def _measured(first: Arm, second: Arm, measure: Measure, tests: int) -> Comparison:
    ours, theirs = _scores(first, measure), _scores(second, measure)
    same_items = _same_items(first, second, measure)
    seeds = _seeds(first, second, measure)
    diffs = differences([ours[seed] for seed in seeds], [theirs[seed] for seed in seeds])
    test = signed_rank(diffs) if diffs else None
    interval = difference_interval(diffs, ALPHA)
    deviations = detectable(len(diffs), ALPHA / tests) if diffs else None
    both = (list(ours.values()), list(theirs.values()))
    return Comparison(
        measure=measure,
        first=first.name,
        second=second.name,
        seeds=tuple(seeds),
        difference=hodges_lehmann(diffs) if diffs else None,
        low=None if interval is None else interval[0],
        high=None if interval is None else interval[1],
        p=None if test is None else test.p,
        p_holm=None,
        smallest_p=smallest_p(len(seeds)) if seeds else None,
        rank_biserial=None if test is None else test.rank_biserial,
        cliffs_delta=cliffs_delta(*both) if same_items else None,
        unpaired_p=rank_sum(*both) if same_items else None,
        detectable=None if deviations is None else deviations * stdev(diffs),
        verdict="no seeds in common" if same_items else "not tested: the items differ",
        differs=differs_in(first, second),
    )


def _judged(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Correct for the tests that were made; a comparison without pairs is none."""
    ps = [comparison.p for comparison in comparisons if comparison.p is not None]
    tests = iter(enumerate(holm(ps)))
    judged: list[Comparison] = []
    for comparison in comparisons:
        if comparison.p is None:
            judged.append(comparison)
            continue
        at, adjusted = next(tests)
        verdict: Verdict = "separable"
        if adjusted > ALPHA:
            best = best_case(ps, at, smallest_p(len(comparison.seeds)))
            hopeless = "cannot be separated with this many seeds"
            verdict = "not separable" if best <= ALPHA else hopeless
        judged.append(msgspec.structs.replace(comparison, p_holm=adjusted, verdict=verdict))
    return judged
