"""Sentences on seeds that tie and on scores that cannot move: neither shows that arms are alike."""

from collections.abc import Iterator, Sequence
from math import ceil
from typing import Final

from hyperspace.reporting.lines import counted
from replication.report.limits import Constant
from replication.report.records import ALPHA, MEASURES, Comparison, Measure
from replication.report.statistics.paired import pairs_needed

_MOST_TOLD: Final = 10


def refusal(constant: Constant | None, measure: Measure, limit: float | None) -> Iterator[str]:
    """Refuse a measure as evidence by which all runs have one score."""
    if constant is not None:
        stand, why = " end", ": scores that do not move"
        if constant.unfinished:
            stand = f", {constant.unfinished} of them not finished yet, stand"
            why = ": equal scores"
        if constant.score == limit:
            why = ", the limit of this measure: this task"
        yield (
            f"By {MEASURES[measure]} all {constant.runs} runs{stand} at {constant.score:.3f}{why} "
            "cannot show whether one arm differs from another. No interval and no p is given."
        )


def tied(tested: Sequence[Comparison], measure: Measure, limit: float | None) -> Iterator[str]:
    """Say of each comparison with ties how many there are, and what the other seeds can show."""
    remarkable = [row for row in tested if row.ties or not row.scatters]
    for row in remarkable[:_MOST_TOLD]:
        parts = (*_ties(row, limit), *_reach(row, len(tested)), *_scatter(row))
        yield f"By {MEASURES[measure]} {row.first} - {row.second}: {'; '.join(parts)}."
    if len(remarkable) > _MOST_TOLD:
        yield (
            f"By {MEASURES[measure]} {counted(len(remarkable) - _MOST_TOLD, 'more comparison')} "
            "with ties or without scatter: see the table."
        )


def _ties(row: Comparison, limit: float | None) -> Iterator[str]:
    if not row.ties:
        return
    at_limit = ""
    if row.ties_at_limit and limit is not None:
        share = "all" if row.ties_at_limit == row.ties else str(row.ties_at_limit)
        at_limit = f", {share} of these at {limit:.3f}, the limit of this measure"
    yield f"{row.ties} of {counted(len(row.seeds), 'seed')} tie exactly{at_limit}"


def _reach(row: Comparison, tests: int) -> Iterator[str]:
    """Say which p the seeds that differ can reach, where that is not small enough."""
    if row.verdict in ("separable", "not separable"):
        return
    needed = pairs_needed(ALPHA, tests)
    moved = len(row.seeds) - row.ties
    if not moved:
        yield (
            "none differs, so p is 1 whatever the arms are, and which difference could have been "
            f"seen is not known; it takes {needed} that differ"
        )
        return
    yield (
        f"the smallest p that the other {counted(moved, 'seed')} can reach is {row.smallest_p:.4g}"
        f"{' before it is corrected' if tests > 1 else ''}, and it takes {needed} that differ, so "
        f"{ceil(needed * len(row.seeds) / moved)} seeds if as many tie"
    )


def _scatter(row: Comparison) -> Iterator[str]:
    if not row.scatters and len(row.seeds) - row.ties > 1:
        yield (
            "seeds that differ do not scatter, so which difference they would find 4 times in 5 is "
            "not known"
        )
