"""From runs to a report."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from hyperspace.kernel.errors import RunUsageError
from hyperspace.runs.records import Run
from replication.report.arms import summary_of
from replication.report.comparable import cautions, differing, repeated, weights
from replication.report.comparing import compare, with_noise
from replication.report.finding import finding_of
from replication.report.grouping import Experiment, experiments_of, reference_of
from replication.report.idea_curves import curves_of_ideas
from replication.report.limits import Constant, constant_of, limit_of
from replication.report.measures import is_higher_better, measures_of, primary_of
from replication.report.noise import noise_of
from replication.report.records import Arm, Comparison, ExperimentReport, Measure, Report
from replication.report.thresholds import thresholds_for
from replication.report.ties import refusal
from replication.report.wording import (
    alone,
    budget_of,
    direction,
    exposed,
    missing,
    ranked_together,
    unfinished,
    validation_seen,
    verdict_of,
)

NO_SECOND: Final = (
    "Scores of research runs are those of the sealed evaluation, and the best idea was chosen by "
    "them: the best of many is better than it would be on new data."
)
_OF_SCORES: Final[tuple[Measure, ...]] = ("val", "test")  # a score's limit is no other measure's


MOST_ARMS: Final = 100  # each of them is compared with each other
MOST_AGAINST_ONE: Final = 2000


class Study(NamedTuple):
    """A report, and the runs behind it for those who draw them.

    Attributes:
        report: What is said.
        experiments: One for each of the report's, in the same order.
    """

    report: Report
    experiments: tuple[Experiment, ...]


def _require_few(experiment: Experiment, *, is_against_one: bool) -> None:
    most = MOST_AGAINST_ONE if is_against_one else MOST_ARMS
    if len(experiment.arms) > most:
        advice = "a folder with fewer" if is_against_one else "one with --against, or fewer"
        raise RunUsageError(
            f"there are {len(experiment.arms):,} arms, and {most} are compared at most; "
            f"name {advice}"
        )


def study_of(
    runs: Sequence[Run], source: str, *, against: str | None = None, left_out: Sequence[str] = ()
) -> Study:
    """Compare the arms of every experiment in a set of runs.

    Args:
        runs: From `hyperspace.runs.finding.read_scored`.
        source: What was read, for the report.
        against: Compare all arms with this one only.
        left_out: A sentence for each run that could not be read.

    Raises:
        RunUsageError: No experiment has an arm of that name, or one has too many arms.
    """
    experiments = tuple(experiments_of(runs))
    arms = {arm.name for experiment in experiments for arm in experiment.arms}
    if against is not None and against not in arms:
        raise RunUsageError(f"there is no arm {against!r}; there are {', '.join(sorted(arms))}")
    for experiment in experiments:
        _require_few(experiment, is_against_one=against is not None)
    reports = tuple(_report(experiment, source, against) for experiment in experiments)
    report = Report(source=source, experiments=reports, left_out=tuple(left_out))
    return Study(report, experiments)


def _report(experiment: Experiment, source: str, against: str | None) -> ExperimentReport:
    higher = experiment.higher_is_better
    primary = primary_of(experiment.arms)
    measures = measures_of(primary)
    thresholds = thresholds_for(experiment.domain, experiment.arms, higher_is_better=higher)
    limit = limit_of(experiment.domain, experiment.arms, higher_is_better=higher)
    limit_by = {measure: limit if measure in _OF_SCORES else None for measure in measures}
    constants: dict[Measure, Constant] = {
        measure: constant
        for measure in measures
        if (constant := constant_of(experiment.arms, measure)) is not None
    }
    arms = tuple(
        summary_of(arm, thresholds, constant=constants, measures=measures)
        for arm in experiment.arms
    )
    noise = [row for measure in measures for row in noise_of(experiment.arms, measure)]
    unlike = differing(experiment.arms)
    comparisons = tuple(
        with_noise(comparison, noise)
        for measure in measures
        for comparison in compare(
            experiment.arms, measure, against=against, limit=limit_by[measure]
        )
    )
    repeats = () if primary is None else tuple(_repeats(experiment.arms, primary))
    return ExperimentReport(
        experiment=experiment.name,
        domain=experiment.domain,
        primary=primary,
        finding=tuple(finding_of(experiment.arms, comparisons, repeats, primary, higher)),
        arms=arms,
        comparisons=comparisons,
        repeats=repeats,
        noise=tuple(noise),
        budget=tuple(budget_of(arms)),
        higher_is_better=higher,
        limit=limit,
        verdict=(
            *unfinished(arms),
            *cautions(unlike, experiment.arms),
            *direction(higher),
            *ranked_together(arms),
            *(
                sentence
                for measure in measures
                for sentence in (
                    *refusal(constants.get(measure), measure, limit_by[measure]),
                    *verdict_of(
                        comparisons,
                        measure,
                        noise,
                        is_higher_better(measure, higher),
                        limit_by[measure],
                    ),
                )
            ),
            *exposed(arms),
            *validation_seen(arms),
        ),
        differing=tuple(unlike),
        weights=tuple(weights(experiment.arms)),
        curves=curves_of_ideas(experiment.arms),
        notes=(
            *(missing(arms, Path(source)) if experiment.unit == "generation" else (NO_SECOND,)),
            *alone(arms),
            *repeated(experiment.arms),
            *experiment.notes,
        ),
    )


def _repeats(arms: Sequence[Arm], measure: Measure) -> Iterator[Comparison]:
    """Compare arms with their A/A arms, each for itself."""
    for arm in arms:
        own = reference_of(arm, arms) if arm.control == "aa" else None
        if own is not None:
            yield from compare((own, arm), measure, against=arm.name)
