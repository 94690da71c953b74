"""The sentences of a report: what may be said, and what may not."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from hyperspace.reporting.lines import counted, numbered, score
from replication.report.comparable import ITEMS, label
from replication.report.records import ALPHA, MEASURES, ArmSummary, Comparison, Measure, Noise
from replication.report.statistics.paired import pairs_needed, smallest_p
from replication.report.ties import tied

_MOST_NAMED: Final = 6
UNEQUAL: Final = 1.1  # budgets that differ by more than a tenth are said to be unequal


def direction(higher_is_better: bool | None) -> Iterator[str]:
    """Return a sentence where lower scores are better."""
    if higher_is_better is False:
        yield (
            "Lower scores are better here: best is lowest, and a negative difference is in favour "
            "of the first arm."
        )


def ranked_together(arms: Sequence[ArmSummary]) -> Iterator[str]:
    """Name the arms whose best generation is not simply the one with the best score."""
    names = [arm.arm for arm in arms if arm.ensemble is not None]
    if names:
        yield (
            f"Ranked by ensembles: {', '.join(names)}. Their best generation is the one with the "
            "best fitness, which is of what it answers together with earlier ones; scores are what "
            "it answers alone, and the ensemble's is beside."
        )


def verdict_of(
    comparisons: Sequence[Comparison],
    measure: Measure,
    noise: Sequence[Noise],
    higher_is_better: bool | None = None,
    limit: float | None = None,
) -> Iterator[str]:
    """Sum up the comparisons of one measure; `limit` is its best score, where one is known."""
    name = MEASURES[measure]
    measured = [comparison for comparison in comparisons if comparison.measure == measure]
    if not measured:
        if measure == "val":
            yield "There are no two arms with scores, so there is nothing to compare."
        return
    yield from _untested(measured, measure)
    tested = [comparison for comparison in measured if comparison.p is not None]
    separable = [comparison for comparison in measured if comparison.verdict == "separable"]
    for comparison in separable:
        yield _separated(comparison, name, higher_is_better)
    if tested and not separable:
        yield (
            f"By {name} no two arms are separated: no comparison has an adjusted p of {ALPHA} or "
            "less."
        )
    missed = [row for row in measured if row.verdict == "not separable"]
    if missed:
        yield _missed(missed, tested)
    hopeless = [
        row for row in measured if row.verdict == "cannot be separated with this many seeds"
    ]
    if hopeless:
        yield _hopeless(hopeless, tested)
    yield from tied(tested, measure, limit)
    judged = [row.within_noise for row in measured if row.within_noise is not None]
    if judged:
        yield (
            f"Differences in {name} that are no larger than the noise floor: "
            f"{sum(judged)} of {len(judged)}. {_floor(noise)}"
        )


def budget_of(arms: Sequence[ArmSummary]) -> Iterator[str]:
    """Name arms with unequal budgets, and those whose budgets are not known."""
    unknown: list[str] = []
    for name in ("agents", "candidates", "calls", "tokens", "usd"):
        # One agent for as long as all others together: that is what makes the control.
        as_many = [arm for arm in arms if name != "agents" or arm.control != "alone"]
        sizes = {arm.arm: getattr(arm.budget, name) for arm in as_many}
        sizes_known = {arm: size for arm, size in sizes.items() if size is not None}
        if len(sizes_known) < len(sizes):
            unknown.append(name)
        elif max(sizes_known.values()) > UNEQUAL * min(sizes_known.values()):
            least = min(sizes_known, key=lambda arm: sizes_known[arm])
            most = max(sizes_known, key=lambda arm: sizes_known[arm])
            yield (
                f"Unequal budgets: {name} a run (median) from "
                f"{_amount(sizes_known[least])} ({least}) to "
                f"{_amount(sizes_known[most])} ({most}); a difference in score may come from that."
            )
    if unknown:
        yield (
            f"Not known of every run: {', '.join(unknown)}. Whether the arms took equally much "
            "of it cannot be told."
        )


def missing(arms: Sequence[ArmSummary], source: Path) -> Iterator[str]:
    """Name what the source does not say."""
    if all(arm.test is None for arm in arms):
        yield (
            f"Test scores are not in the file {source.name}."
            if source.is_file()
            else "No run here has a test score; test is evaluated when a run is finished."
        )


def alone(arms: Sequence[ArmSummary]) -> Iterator[str]:
    """Name the arms whose one score has no interval."""
    names = [arm.arm for arm in arms if arm.val is not None and arm.val.n == 1]
    if names:
        yield (
            f"One seed has no interval, and says nothing of how seeds scatter: {', '.join(names)}."
        )


def unfinished(arms: Sequence[ArmSummary]) -> Iterator[str]:
    """Name the runs that are not finished yet: what is said of the others is said of them, too."""
    under_way = {
        arm.arm: [result.seed for result in arm.results if result.finished is False] for arm in arms
    }
    count = sum(map(len, under_way.values()))
    if count:
        named = [
            f"{arm} with {numbered('seed', seeds)}" for arm, seeds in under_way.items() if seeds
        ]
        runs = counted(sum(len(arm.results) for arm in arms), "run")
        yield (
            f"Not finished yet: {count} of {runs} ({'; '.join(named)}). What they have so far "
            "counts as if they had ended there."
        )


def exposed(arms: Sequence[ArmSummary]) -> Iterator[str]:
    """Name the runs in which the test split did not stay sealed to the end."""
    for arm in arms:
        seeds = [result.seed for result in arm.results if result.test_exposed]
        if seeds:
            yield (
                f"{arm.arm}: test_exposed with {numbered('seed', seeds)}: test was evaluated "
                "before the run was over, or the run went on after it; its test score is no clean "
                "estimate."
            )


def validation_seen(arms: Sequence[ArmSummary]) -> Iterator[str]:
    """Say how much of validation agents could have seen, by which scores of it may be too good."""
    bits = {arm.arm: [r.validation_bits for r in arm.results if r.validation_bits] for arm in arms}
    most = {arm: max(known) for arm, known in bits.items() if known}
    if most:
        fewest, largest = min(most.values()), max(most.values())
        span = f"{largest:g}" if fewest == largest else f"{fewest:g} to {largest:g} (by arm)"
        yield f"Agents could see {span} bits of validation in a run at most."


def _floor(noise: Sequence[Noise]) -> str:
    """Describe the noise floor, and how few differences it comes from."""
    largest = max(row.largest for row in noise if row.measure == "val")
    pairs = sum(row.pairs for row in noise if row.measure == "val")
    if pairs == 1:
        return f"The floor, {largest:.3f}, is one single difference; the next may be larger."
    return (
        f"The floor, {largest:.3f}, is the largest of {pairs} differences where nothing but chance "
        "differs; the next may be larger."
    )


def _untested(comparisons: Sequence[Comparison], measure: Measure) -> Iterator[str]:
    """Name the comparisons that were not made, and why; nothing if all were."""
    name = MEASURES[measure]
    refused = [row for row in comparisons if row.verdict == "not tested: the items differ"]
    if refused:
        names = dict.fromkeys(name for row in refused for name in row.differs)
        why = " and ".join(label(name) for name in names if name in ITEMS[measure])
        yield (
            f"Not tested by {name}: {_couples(refused)}. The runs were not scored on the same "
            f"items ({why} differ), so a difference would be one of items too."
        )
    apart = [row for row in comparisons if row.verdict == "no seeds in common"]
    if apart:
        yield f"Not tested by {name}: {_couples(apart)}. They have no seed in common with a score."


def _couples(comparisons: Sequence[Comparison]) -> str:
    named = [f"{row.first} - {row.second}" for row in comparisons[:_MOST_NAMED]]
    more = len(comparisons) - len(named)
    return ", ".join(named) + (f" and {more} more" if more else "")


def _separated(comparison: Comparison, name: str, higher_is_better: bool | None) -> str:
    """Name the better arm first."""
    above = (comparison.difference or 0.0) >= 0
    is_first = above is (higher_is_better is not False)
    winner, loser = (comparison.first, comparison.second)[:: 1 if is_first else -1]
    how = "better than" if higher_is_better is False else "above"
    caution = " (but no larger than the noise floor)" if comparison.within_noise else ""
    p, adjusted = score(comparison.p, 4), score(comparison.p_holm, 4)
    unlike = f" They also differ in {', '.join(map(label, comparison.differs))}."
    return (
        f"By {name} {winner} is {how} {loser} by {abs(comparison.difference or 0.0):.3f}"
        f"{caution}: {counted(len(comparison.seeds), 'pair')}, p {p}, adjusted {adjusted}."
        f"{unlike if comparison.differs else ''}"
    )


def _share(some: Sequence[Comparison], tested: Sequence[Comparison]) -> str:
    if len(tested) == 1:
        return "The one comparison"
    return f"{len(some)} of {len(tested)} comparisons"


def _missed(missed: Sequence[Comparison], tested: Sequence[Comparison]) -> str:
    """Name the comparisons that could have shown a difference, and which one."""
    sizes = [
        f"{row.first} - {row.second} "
        + ("not known" if row.detectable is None else f"{row.detectable:.3f} or more")
        for row in missed[:_MOST_NAMED]
    ]
    more = f" and {len(missed) - len(sizes)} more" if len(missed) > len(sizes) else ""
    return (
        f"{_share(missed, tested)} could have shown a difference and did not. "
        f"True differences that they would find 4 times in 5: {', '.join(sizes)}{more}."
    )


def _amount(size: float) -> str:
    return f"{size:,.0f}" if size >= 100 else f"{size:g}"


def _hopeless(hopeless: Sequence[Comparison], tested: Sequence[Comparison]) -> str:
    pairs = sorted({len(comparison.seeds) for comparison in hopeless})
    reach = ", ".join(f"{smallest_p(count):.4g} from {counted(count, 'pair')}" for count in pairs)
    needed = pairs_needed(ALPHA, len(tested))
    alone = pairs_needed(ALPHA, 1)
    corrected = (
        f"{needed} for {len(tested)} comparisons at once, {alone} for a single one"
        if len(tested) > 1
        else str(alone)
    )
    is_one = len(tested) == 1
    return (
        f"{_share(hopeless, tested)} cannot be separated with this many seeds, whatever the "
        f"scores: the smallest two-sided p that {'it' if is_one else 'they'} can reach is {reach}"
        f"{', before it is corrected' if len(tested) > 1 else ''}, and the level is {ALPHA}. "
        f"Seeds in common that it takes at least: {corrected}."
    )
