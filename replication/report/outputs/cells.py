"""The tables of a report, the same for the terminal and for HTML."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from hyperspace.reporting.lines import amount, interval, score, share, signed
from replication.report.grouping import CONTROLS
from replication.report.records import (
    MEASURES,
    ArmSummary,
    Comparison,
    ExperimentReport,
    Measure,
)
from replication.report.statistics.median import Spread


class Table(NamedTuple):
    """A table of text.

    Attributes:
        caption: What it shows.
        headings: One for each column.
        rows: The first cell of each is its name.
        left: Columns from 0 with words instead of numbers.
    """

    caption: str
    headings: tuple[str, ...]
    rows: list[tuple[str, ...]]
    left: tuple[int, ...] = (0,)

    @property
    def numeric(self) -> set[int]:
        """Columns of numbers."""
        return set(range(len(self.headings))) - {*self.left}

    @property
    def words(self) -> set[int]:
        """Columns of words, the names of rows left out."""
        return {*self.left} - {0}


def tables_of(report: ExperimentReport) -> Iterable[Table]:
    """Return the tables of one experiment, in reading order; empty ones are left out."""
    names = dict.fromkeys(comparison.measure for comparison in report.comparisons)
    by_measure = [[row for row in report.comparisons if row.measure == name] for name in names]
    tables = (
        medians(report.arms),
        set_beforehand(report),
        *(comparisons(rows, report.primary) for rows in by_measure),
        *map(effects, by_measure),
        noise(report),
        seeds(report.arms),
        curves(report),
        rates(report.arms),
        thresholds(report.arms, higher_is_better=report.higher_is_better),
        budgets(report.arms),
    )
    return (table for table in tables if table.rows)


def medians(arms: Sequence[ArmSummary]) -> Table:
    """Medians over seeds with their intervals."""
    val, test = ("best val", "95% interval", "holds"), ("test", "95% interval")
    with_ensembles = any(arm.ensemble is not None for arm in arms)
    together = ("ensemble",) if with_ensembles else ()
    headings = ("arm", "seeds", *val, *together, *test, "imp@k")
    rows = [
        (
            named(arm),
            str(len(arm.results)),
            *_spread(arm.val, arm),
            *((score(arm.ensemble),) if with_ensembles else ()),
            *_spread(arm.test, arm)[:2],
            score(arm.imp_at_k),
        )
        for arm in arms
    ]
    return Table("Medians over seeds", headings, rows)


def set_beforehand(report: ExperimentReport) -> Table:
    """Values of a measure that was set beforehand and is no score of one generation."""
    if report.primary is None or report.primary in ("val", "test"):
        return Table("", (), [])
    is_area = report.primary == "area"
    rows = [
        (named(arm), str(len(arm.results)), *_spread(arm.area if is_area else arm.time_to, arm))
        for arm in report.arms
    ]
    headings = ("arm", "seeds", "median", "95% interval", "holds")
    return Table(f"Set beforehand: {MEASURES[report.primary]}", headings, rows)


def seeds(arms: Sequence[ArmSummary]) -> Table:
    """Scores of each seed."""
    numbers = sorted({result.seed for arm in arms for result in arm.results})
    cells: dict[tuple[str, int], str] = {}
    for arm in arms:
        for row in arm.results:
            test = "" if row.test is None else f" ({score(row.test)})"
            cells[arm.arm, row.seed] = f"{score(row.val)}{test}{'*' if row.test_exposed else ''}"
    rows = [(arm.arm, *(cells.get((arm.arm, seed), "") for seed in numbers)) for arm in arms]
    headings = ("arm", *(f"seed {seed}" for seed in numbers))
    return Table("Best validation score (and test) of each seed", headings, rows)


def curves(report: ExperimentReport) -> Table:
    """The best score so far after so many ideas."""
    if not report.curves:
        return Table("", (), [])
    headings = ("arm", *(f"{ideas:,}" for ideas in report.curves[0].ideas))
    seeds_of = {arm.arm: len(arm.results) for arm in report.arms}
    rows: list[tuple[str, ...]] = []
    for curve in report.curves:
        of = ["" if runs in (0, seeds_of[curve.arm]) else f" (of {runs})" for runs in curve.runs]
        cells = (score(best) + more for best, more in zip(curve.best, of, strict=True))
        rows.append((curve.arm, *cells))
    return Table("Best score so far after so many ideas, each a job (median)", headings, rows)


def rates(arms: Sequence[ArmSummary]) -> Table:
    """Shares of generations."""
    headings = ("arm", "generations", "scoring", "valid", "self-mod", "known of", "code, bytes")
    rows = [
        (
            arm.arm,
            str(arm.evolved),
            share(arm.scoring_rate),
            share(arm.valid_rate),
            share(arm.self_modification_rate),
            str(arm.self_modification_known or "-"),
            amount(arm.code_bytes),
        )
        for arm in arms
    ]
    return Table("Evolved generations of all seeds", headings, rows)


def thresholds(arms: Sequence[ArmSummary], *, higher_is_better: bool | None = None) -> Table:
    """First generations that reach some scores."""
    side = "below" if higher_is_better is False else "above"
    scores = [reached.score for reached in arms[0].reached] if arms else []
    headings = ("arm", *(f"{least:.2f}" for least in scores))
    rows = [
        (
            arm.arm,
            *(
                f"{'-' if row.generation is None else f'{row.generation:g}'} "
                f"({row.runs}/{len(arm.results)})"
                for row in arm.reached
            ),
        )
        for arm in arms
    ]
    return Table(f"First generation at or {side} (median; runs that reached it)", headings, rows)


def budgets(arms: Sequence[ArmSummary]) -> Table:
    """Generations, calls, tokens and money of a run."""
    headings = ("arm", "agents", "generations", "candidates", "calls", "tokens", "USD")
    rows = [(arm.arm, *map(amount, msgspec.structs.astuple(arm.budget))) for arm in arms]
    return Table("What a run took (median)", headings, rows)


def comparisons(compared: Sequence[Comparison], primary: Measure | None = None) -> Table:
    """The tests of one measure; where one was set beforehand, it is said which that is."""
    numbers = ("pairs", "ties", "at limit", "difference", "p", "adjusted", "smallest p")
    headings = ("arms", *numbers, "verdict")
    rows = [
        (
            _arms(row),
            str(len(row.seeds)),
            str(row.ties),
            amount(row.ties_at_limit),
            signed(row.difference),
            score(row.p, 4),
            score(row.p_holm, 4),
            score(row.smallest_p, 4),
            row.verdict,
        )
        for row in compared
    ]
    name = compared[0].measure
    told = "" if primary is None else ", set beforehand" if name == primary else ", secondary"
    caption = f"Arms compared seed by seed: {MEASURES[name]}{told}"
    return Table(caption, headings, rows, left=(0, 8))


def effects(compared: Sequence[Comparison]) -> Table:
    """The effect sizes of one measure, and the second look."""
    sizes = ("rank-biserial", "Cliff's delta", "unpaired p")
    headings = ("arms", "95% interval", "detectable", *sizes)
    rows = [
        (
            _arms(row),
            interval(row.low, row.high),
            "not known" if row.scatters is False else score(row.detectable),
            signed(row.rank_biserial, 2),
            signed(row.cliffs_delta, 2),
            score(row.unpaired_p, 4),
        )
        for row in compared
    ]
    measure = MEASURES[compared[0].measure]
    return Table(f"How large the differences are: {measure}", headings, rows)


def noise(report: ExperimentReport) -> Table:
    """The noise floor."""
    headings = ("from", "pairs", "median", "largest")
    rows = [
        (floor.source, str(floor.pairs), score(floor.median), score(floor.largest))
        for floor in report.noise
    ]
    return Table("Noise floor: differences where nothing differs", headings, rows)


def named(arm: ArmSummary) -> str:
    """An arm's name, with what it controls for."""
    return f"{arm.arm} (control)" if arm.control else arm.arm


def control_lines(arms: Sequence[ArmSummary]) -> list[str]:
    """Return a sentence for each control."""
    return [f"{arm.arm} is a control ({CONTROLS[arm.control]})." for arm in arms if arm.control]


def _spread(spread: Spread | None, arm: ArmSummary) -> tuple[str, str, str]:
    if spread is None:
        return ("-", "-", "-")
    of = "" if spread.n == len(arm.results) else f" (of {spread.n})"
    return (
        score(spread.median) + of,
        interval(spread.low, spread.high),
        share(spread.coverage),
    )


def _arms(comparison: Comparison) -> str:
    return f"{comparison.first} - {comparison.second}"
