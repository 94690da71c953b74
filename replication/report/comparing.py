"""Comparing arms: the paired test, what it could have shown, and what may be said."""

from collections.abc import Sequence
from itertools import combinations
from statistics import stdev

from msgspec.structs import replace

from replication.report.comparable import ITEMS, differs_in
from replication.report.limits import constant_of, scores_of
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
    arms: Sequence[Arm],
    measure: Measure,
    *,
    against: str | None = None,
    limit: float | None = None,
) -> list[Comparison]:
    """Compare arms two by two.

    Controls are compared with arms of interest, not with each other, and A/A arms with none: what
    they say is the noise floor, and each comparison more makes all others weaker. Where every run
    has the same score, nothing is tested.

    Args:
        arms: In the order in which they are shown.
        measure: On what.
        against: Compare only with this one: fewer comparisons can show more.
        limit: The best score that there can be; None where none is known.

    Returns:
        One for each two arms that both have a score of this measure.
    """
    scored = [arm for arm in arms if scores_of(arm, measure)]
    couples = [
        (first, second)
        for first, second in combinations(scored, 2)
        if _is_asked(first, second, against)
    ]
    if constant_of(arms, measure) is not None:
        return [_untested(*couple, measure, limit) for couple in couples]
    tests = sum(bool(_seeds(*couple, measure)) for couple in couples)
    return _judged([_measured(*couple, measure, limit, tests) for couple in couples])


def with_noise(comparison: Comparison, noise: Sequence[Noise]) -> Comparison:
    """Mark whether a difference in validation is within the noise floor."""
    floors = [row.largest for row in noise if row.measure == "val"]
    if not floors or comparison.difference is None or comparison.measure != "val":
        return comparison
    floor = max(floors)
    return replace(comparison, within_noise=abs(comparison.difference) <= floor)


def _is_asked(first: Arm, second: Arm, against: str | None) -> bool:
    if any(arm.control == "aa" and arm.name != against for arm in (first, second)):
        return False
    if against is not None:
        return against in (first.name, second.name)
    return not (first.control and second.control)


def _seeds(first: Arm, second: Arm, measure: Measure) -> list[int]:
    """Return the seeds that make pairs: none where scores are of other items."""
    if not _same_items(first, second, measure):
        return []
    return sorted(scores_of(first, measure).keys() & scores_of(second, measure).keys())


def _same_items(first: Arm, second: Arm, measure: Measure) -> bool:
    return not set(differs_in(first, second)) & set(ITEMS[measure])


def _untested(first: Arm, second: Arm, measure: Measure, limit: float | None) -> Comparison:
    """Return what is known of two arms without a test: their seeds, and which of these tie."""
    ours, theirs = scores_of(first, measure), scores_of(second, measure)
    seeds = _seeds(first, second, measure)
    tied = [seed for seed in seeds if not differences([ours[seed]], [theirs[seed]])[0]]
    verdict: Verdict = "not tested: every score is the same"
    if not seeds:
        same_items = _same_items(first, second, measure)
        verdict = "no seeds in common" if same_items else "not tested: the items differ"
    return Comparison(
        measure=measure,
        first=first.name,
        second=second.name,
        seeds=tuple(seeds),
        ties=len(tied),
        ties_at_limit=None if limit is None else sum(ours[seed] == limit for seed in tied),
        verdict=verdict,
        differs=differs_in(first, second),
    )


def _measured(
    first: Arm, second: Arm, measure: Measure, limit: float | None, tests: int
) -> Comparison:
    untested = _untested(first, second, measure, limit)
    ours, theirs = scores_of(first, measure), scores_of(second, measure)
    if _same_items(first, second, measure):
        both = (list(ours.values()), list(theirs.values()))
        untested = replace(untested, cliffs_delta=cliffs_delta(*both), unpaired_p=rank_sum(*both))
    if not untested.seeds:
        return untested
    diffs = differences(*([scores[seed] for seed in untested.seeds] for scores in (ours, theirs)))
    test = signed_rank(diffs)
    low, high = difference_interval(diffs, ALPHA) or (None, None)
    moved = [diff for diff in diffs if diff]
    scatters = len(set(moved)) > 1
    deviations = detectable(len(moved), ALPHA / tests) if scatters else None
    return replace(
        untested,
        scatters=scatters,
        difference=hodges_lehmann(diffs),
        low=low,
        high=high,
        p=test.p,
        smallest_p=smallest_p(len(moved)),
        rank_biserial=test.rank_biserial,
        detectable=None if deviations is None else deviations * stdev(moved),
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
            seeds = len(comparison.seeds)
            without_ties, with_ties = (
                best_case(ps, at, smallest_p(pairs)) for pairs in (seeds, seeds - comparison.ties)
            )
            verdict = "not separable"
            if without_ties > ALPHA:
                verdict = "cannot be separated with this many seeds"
            elif with_ties > ALPHA:
                verdict = "cannot be separated with so many ties"
        judged.append(replace(comparison, p_holm=adjusted, verdict=verdict))
    return judged
