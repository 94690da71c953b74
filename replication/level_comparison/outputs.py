"""A comparison of levels as lines for a terminal, as a table in CSV, and as a figure."""

import csv
import io
from collections.abc import Iterator, Sequence

import msgspec

from hyperspace.reporting.curves import VAL
from hyperspace.reporting.figures import Curve, Drawn, Panel, draw_panels
from hyperspace.reporting.lines import amount, columns, interval, score, signed, wrapped
from hyperspace.tasks.csv_rows import inert_row
from replication.level_comparison.names import LEVEL_OF_ARM
from replication.level_comparison.records import (
    LEAST_COVERAGE,
    Contrast,
    LevelComparison,
    LevelRun,
    LevelSummary,
)
from replication.report.budget_curves import BUDGETS, budget_curves
from replication.report.grouping import Experiment
from replication.report.statistics.median import Spread

_LEVELS = ("task", "level", "seeds", "test", "interval", "val", "tries", "calls", "tokens", "cost")
_HARDNESS = ("advers.", "drop")
_CONTRASTS = ("task", "by", "levels", "seeds", "difference", "interval", "better", "p", "verdict")


def comparison_lines(comparison: LevelComparison) -> Iterator[str]:
    """Return a comparison line by line."""
    runs = comparison.runs
    several = len({(run.task, run.experiment) for run in runs}) > len({run.task for run in runs})
    yield f"Levels at a budget of {comparison.budget:,} calls: medians over seeds"
    hard = any(row.adversarial is not None for row in comparison.summaries)
    rows = [
        _level_cells(row, several=several) + (_hardness_cells(row) if hard else [])
        for row in comparison.summaries
    ]
    yield from columns((*_LEVELS, "bytes", *(_HARDNESS if hard else ())), rows, left=(0, 1))
    yield ""
    if comparison.contrasts:
        yield "Levels compared seed by seed: median differences"
        rows = [_contrast_cells(row, several=several) for row in comparison.contrasts]
        yield from columns(_CONTRASTS, rows, left=(0, 1, 2, 8))
        yield ""
    yield from wrapped(" ".join(_explained(comparison)), "")


def runs_csv(comparison: LevelComparison) -> bytes:
    """Return a row for each run."""
    file = io.StringIO()
    writer = csv.DictWriter(file, LevelRun.__struct_fields__, lineterminator="\n")
    writer.writeheader()
    writer.writerows(inert_row(msgspec.structs.asdict(run)) for run in comparison.runs)
    return file.getvalue().encode()


def curves_figure(experiments: Sequence[Experiment]) -> Drawn:
    """Draw the best validation score so far over the calls spent, a panel a task.

    Raises:
        FiguresUnavailable: matplotlib is not installed.
    """
    caption = "Best validation score so far over the calls spent; medians over seeds."
    return Drawn("levels", caption, draw_panels([_panel(each) for each in experiments]))


def _panel(experiment: Experiment) -> Panel:
    names = [*LEVEL_OF_ARM]
    arms = sorted(
        (arm for arm in experiment.arms if arm.name in names),
        key=lambda arm: names.index(arm.name),
    )
    return Panel(
        title=f"{experiment.domain} ({experiment.name})",
        x=BUDGETS["calls"],
        y=VAL,
        curves=tuple(
            Curve(
                LEVEL_OF_ARM[curve.arm],
                curve.spent,
                curve.median,
                "steps",
                names.index(curve.arm),
            )
            for curve in budget_curves(arms, "calls")
            if curve.spent
        ),
    )


def _level_cells(row: LevelSummary, *, several: bool) -> list[str]:
    control = " (control)" if row.control else ""
    return [
        _task(row, several=several),
        f"{row.level}{control}",
        str(len(row.seeds)),
        score(None if row.test is None else row.test.median),
        _interval(row.test),
        score(None if row.val is None else row.val.median),
        *(amount(value) for value in (row.tries, row.calls, row.tokens)),
        "-" if row.usd is None else f"${row.usd:.2f}",
        amount(row.code_bytes),
    ]


def _hardness_cells(row: LevelSummary) -> list[str]:
    return [
        score(None if row.adversarial is None else row.adversarial.median),
        signed(None if row.drop is None else row.drop.median),
    ]


def _contrast_cells(row: Contrast, *, several: bool) -> list[str]:
    return [
        _task(row, several=several),
        row.measure,
        f"{row.first} - {row.second}",
        str(len(row.seeds)),
        signed(None if row.difference is None else row.difference.median),
        _interval(row.difference),
        f"{row.above} of {len(row.seeds)}",
        score(row.p, 4),
        row.verdict,
    ]


def _task(row: LevelSummary | Contrast, *, several: bool) -> str:
    name = row.task.rstrip("/").rpartition("/")[2]  # a task in files of one's own is its path
    return f"{name} {row.experiment}" if several else name


def _interval(spread: Spread | None) -> str:
    return "-" if spread is None else interval(spread.low, spread.high)


def _explained(comparison: LevelComparison) -> Iterator[str]:
    """Yield the sentences below the tables, of what stands in them."""
    contrasts, summaries = comparison.contrasts, comparison.summaries
    cases = [run.cases for run in comparison.runs if run.cases is not None]
    if cases:
        yield (
            "The final adversarial suite of a seed is what stands of the arenas of other seeds, "
            f"each case once by its normal form ({min(cases)} to {max(cases)} cases); the drop is "
            "test less that."
        )
    spreads = [row.difference for row in contrasts] or [row.test for row in summaries]
    coverage = min((each.coverage or 0.0 for each in spreads if each is not None), default=0.0)
    yield (
        "Intervals are percentile bootstraps of a median over all resamples, or reach from rank to "
        f"rank where that would promise less than {LEAST_COVERAGE:.0%}; with so many seeds one "
        f"holds the true median with a probability of {coverage:.1%} or more."
    )
    if contrasts:
        yield (
            "A level is higher or lower where the interval leaves 0 out: of five seeds, where all "
            "five agree, which chance alone brings about once in 16."
        )
    if len(contrasts) > 1:
        yield (
            f"No correction is made for the {len(contrasts)} contrasts; hyperspace report makes "
            "one."
        )
    yield "Calls and tokens are those of the search; its final test is not among them."
