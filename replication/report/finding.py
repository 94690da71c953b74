"""What was found about sharing by the measure that was set beforehand, and how sure that is."""

from collections.abc import Iterator, Sequence
from typing import Final

from hyperspace.reporting.lines import counted, interval, score, signed
from replication.report.measures import is_higher_better
from replication.report.records import ALPHA, Arm, Comparison, Measure
from replication.report.statistics.paired import pairs_needed

_WORDS: Final[dict[Measure, str]] = {
    "test": "the test score of the team's best agent",
    "area": "the area under the team's best validation score so far",
    "time_to": "the number of generations to the threshold",
}
_EQUAL_COST: Final = ("copies", "alone")


def finding_of(
    arms: Sequence[Arm],
    comparisons: Sequence[Comparison],
    repeats: Sequence[Comparison],
    primary: Measure | None,
    higher_is_better: bool | None,
) -> Iterator[str]:
    """Say of each fleet what sharing did, and then what chance alone does.

    Args:
        arms: All of an experiment.
        comparisons: Of any measure.
        repeats: Arms against their A/A arms, by the primary measure.
        primary: The measure that was set beforehand; without one nothing is said.
        higher_is_better: Which way is up for scores.
    """
    sharing = [arm for arm in arms if not arm.control and arm.runs[0].terms.get("arm") == "sharing"]
    if primary is None or not sharing:
        return
    tested = [row for row in comparisons if row.measure == primary]
    for arm in sharing:
        own = {c.name: c.control for c in arms if c.control and _fleet_of(c, sharing) == arm.name}
        rows = [row for row in tested if row.first == arm.name and row.second in own]
        which = f" in {arm.name}" if len(sharing) > 1 else ""
        if "none" not in own.values():
            yield f"Nothing can be told of sharing{which}: there is no arm without it (none)."
        for row in rows:
            if own[row.second] == "none":
                yield f"{_against_none(row, len(tested), which)}."
        rivals = [row for row in rows if own[row.second] in _EQUAL_COST and row.p is not None]
        if rivals:
            yield _against_best(rivals, is_higher_better(primary, higher_is_better))
    yield from map(_repeated, repeats)
    what = _WORDS[primary]
    yield (
        f"{what[0].upper()}{what[1:]} is the measure that was set before the runs were played; "
        "all others are secondary."
    )


def _fleet_of(control: Arm, sharing: Sequence[Arm]) -> str:
    """Return the fleet that a control is of, by its name; the only one there is in any case."""
    names = [arm.name for arm in sharing if control.name.startswith(f"{arm.name}_")]
    return max(names, key=len, default=sharing[0].name if len(sharing) == 1 else "")


def _against_none(row: Comparison, tests: int, which: str) -> str:
    """Say what sharing did against no sharing, or that so many seeds and tests cannot tell."""
    what, name, seeds = _WORDS[row.measure], row.second, counted(len(row.seeds), "seed")
    difference = row.difference or 0.0
    if row.verdict == "separable":
        verb = "raised" if difference > 0 else "lowered"
        by = score(abs(difference))
        return f"Sharing{which} {verb} {what} by {by} against {name} ({_sureness(row)})"
    if row.verdict == "not separable":
        could = ""
        if row.detectable is not None:
            could = f"; a true difference of {score(row.detectable)} would be found 4 times in 5"
        return (
            f"Whether sharing{which} changes {what} cannot be told: against {name} it differs by "
            f"{signed(difference)} ({_sureness(row)}){could}"
        )
    if row.p is None:
        return f"Nothing can be told of sharing{which} from {seeds}: {row.verdict}"
    return (
        f"Nothing can be told of sharing{which} from {seeds}, of which {row.ties} tie: "
        f"{_together(tests)} {pairs_needed(ALPHA, tests)} that differ "
        f"(against {name}: {signed(difference)})"
    )


def _together(tests: int) -> str:
    return "one comparison takes" if tests == 1 else f"{tests} comparisons at once take"


def _against_best(rivals: Sequence[Comparison], higher_is_better: bool | None) -> str:
    """Tell of the control at equal cost against which sharing looks worst."""
    sign = -1 if higher_is_better is False else 1
    row = min(rivals, key=lambda rival: sign * (rival.difference or 0.0))
    difference, told = row.difference or 0.0, f"{row.second}, the best control at equal cost"
    if row.verdict == "separable":
        side, by = "above" if difference > 0 else "below", score(abs(difference))
        return f"It ends {side} {told}, by {by} ({_sureness(row)})."
    return f"From {told}, it is not told apart: {signed(difference)} ({_sureness(row)})."


def _repeated(row: Comparison) -> str:
    """Say what comes of other random numbers alone."""
    holds = "" if row.low is None else ", which holds 0, as it should"
    if row.low is not None and row.high is not None and not row.low <= 0 <= row.high:
        holds = ", which leaves 0 out: so much comes of chance alone"
    return (
        f"A/A: the same arm on other random numbers ({row.second}) differs by "
        f"{signed(row.difference)} ({_interval(row)}{holds})."
    )


def _sureness(row: Comparison) -> str:
    seeds = counted(len(row.seeds), "seed")
    return f"{_interval(row)}, {seeds}, p {score(row.p_holm, 4)} after correction"


def _interval(row: Comparison) -> str:
    return "no interval" if row.low is None else f"95% interval {interval(row.low, row.high)}"
