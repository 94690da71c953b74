"""The published study: every condition with every seed, as rows, as figures and as a table."""

import csv
import io
import statistics
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

import msgspec

from hyperspace.kernel.files import canonical_json
from hyperspace.reporting.figures import GENERATION, Curve, Drawn, Panel, draw_panels
from replication.policy.conditions import CONDITIONS, best, bests_so_far, play
from replication.policy.operator import Rows
from replication.policy.records import ArchivedPolicy

Key = tuple[str, int]
# The 16 published columns, then the errors of the child on train.
COLUMNS: Final = (
    *("condition", "label", "seed", "seed_idx", "iteration"),
    *("best_fitness", "best_test_accuracy", "child_train_accuracy", "child_test_accuracy"),
    *("archive_size", "meta_focus_metric", "meta_weight_step", "meta_threshold_step"),
    *("meta_exploration_scale", "mutation_source", "mode"),
    *("child_false_positives", "child_false_negatives"),
)
_META: Final = ("weight_step", "threshold_step", "exploration_scale")


class PolicyStudy(NamedTuple):
    """Runs by condition and seed.

    Attributes:
        seeds: In the order in which they were asked for.
        runs: The archive of each run, the seed agent first.
    """

    seeds: tuple[int, ...]
    runs: Mapping[Key, tuple[ArchivedPolicy, ...]]


def play_study(rows: Rows, seeds: tuple[int, ...], iterations: int) -> PolicyStudy:
    """Play every condition with every seed."""
    keys = [(condition, seed) for condition in CONDITIONS for seed in seeds]
    runs = {(name, seed): play(name, rows, seed, iterations) for name, seed in keys}
    return PolicyStudy(seeds, runs)


def metrics_csv(study: PolicyStudy) -> bytes:
    """Return raw_metrics.csv: a row an iteration, the seed agent's first."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for (condition, seed), archive in study.runs.items():
        for entry, top in zip(archive, bests_so_far(archive), strict=True):
            child, meta = entry.evaluation, entry.agent.meta_policy
            run = (condition, CONDITIONS[condition].label, seed, study.seeds.index(seed))
            scores = (top.evaluation.train_accuracy, round(top.evaluation.test_accuracy, 3))
            scores += (child.train_accuracy, round(child.test_accuracy, 3))
            steps = (getattr(meta, name) for name in _META)
            source = "heuristic" if entry.iteration else "seed"
            errors = (child.false_positives, child.false_negatives)
            size = entry.iteration + 1
            told = (entry.iteration, *scores, size, meta.focus_metric, *steps)
            writer.writerow([*run, *told, source, condition, *errors])
    return file.getvalue().encode()


def agents_jsonl(study: PolicyStudy) -> bytes:
    """Return agents.jsonl: a line an agent, with its policies, notes and evaluation."""
    lines = [
        {"condition": condition, "seed": seed, "iteration": entry.iteration}
        | msgspec.to_builtins(entry.agent)
        | {"evaluation": msgspec.to_builtins(entry.evaluation)}
        for (condition, seed), archive in study.runs.items()
        for entry in archive
    ]
    return b"".join(canonical_json(line) + b"\n" for line in lines)


def summary_lines(study: PolicyStudy) -> Iterator[str]:
    """Yield the final mean and deviation over seeds of each condition, and what they tell."""
    yield f"{'condition':<12}{'train':>16}{'test':>16}  first reached (by seed)"
    for condition in CONDITIONS:
        bests = [best(study.runs[condition, seed]).evaluation for seed in study.seeds]
        train, test = ([getattr(e, f"{s}_accuracy") for e in bests] for s in ("train", "test"))
        reached = ", ".join(str(first_reached(study.runs[condition, s])) for s in study.seeds)
        yield f"{condition:<12}{_told(train):>16}{_told(test):>16}  {reached}"
    adaptive, frozen = (
        [
            (best(run).evaluation.train_accuracy, first_reached(run))
            for run in (study.runs[condition, seed] for seed in study.seeds)
        ]
        for condition in ("hyperagent", "baseline")
    )
    equal = sum(a == b for a, b in zip(adaptive, frozen, strict=True))
    yield (
        f"adaptive and frozen meta policy: same best train score, reached in the same iteration, "
        f"with {equal} of {len(study.seeds)} seeds"
        + ("; not separable" if [a for a, _ in adaptive] == [b for b, _ in frozen] else "")
    )
    yield "no_archive draws nothing at random: its seeds are one run, so its deviation is no noise"


def first_reached(archive: tuple[ArchivedPolicy, ...]) -> int:
    """Return the iteration in which the best train score of a run was first there."""
    top = best(archive).evaluation.train_accuracy
    return next(e.iteration for e in archive if e.evaluation.train_accuracy == top)


def study_figures(study: PolicyStudy) -> list[Drawn]:
    """Draw the learning curves, and how far the numbers of the meta policy drift.

    Raises:
        FiguresUnavailable: matplotlib is not installed.
    """
    learning = [_learning(study, "train", "best train"), _learning(study, "test", "its test")]
    drift = [_drift(study, name) for name in _META]
    return [
        Drawn(
            "learning_curves",
            "Best so far by train: mean over seeds, band of one deviation.",
            draw_panels(learning),
        ),
        Drawn(
            "meta_policy_drift",
            "Meta policy of each child: mean over seeds, band of one deviation.",
            draw_panels(drift, columns=3),
        ),
    ]


def _learning(study: PolicyStudy, split: str, title: str) -> Panel:
    curves = [
        _curve(
            condition,
            at,
            [
                [
                    getattr(top.evaluation, f"{split}_accuracy")
                    for top in bests_so_far(study.runs[condition, seed])
                ]
                for seed in study.seeds
            ],
        )
        for at, condition in enumerate(CONDITIONS)
    ]
    accuracy = f"{split} accuracy"
    return Panel(title=title, x=GENERATION, y=accuracy, curves=tuple(curves), y_range=(0.4, 1.05))


def _drift(study: PolicyStudy, name: str) -> Panel:
    curves = [
        _curve(
            condition,
            at,
            [
                [getattr(entry.agent.meta_policy, name) for entry in study.runs[condition, seed]]
                for seed in study.seeds
            ],
        )
        for at, condition in enumerate(("hyperagent", "baseline"))
    ]
    title = name.replace("_", " ")
    return Panel(title=title, x=GENERATION, y=title, curves=tuple(curves))


def _curve(label: str, series: int, runs: list[list[float]]) -> Curve:
    columns: list[Any] = list(zip(*runs, strict=True))
    return Curve(
        label,
        tuple(range(len(columns))),
        tuple(statistics.fmean(column) for column in columns),
        series=series,
        deviations=tuple(statistics.pstdev(column) for column in columns),
    )


def _told(values: list[float]) -> str:
    return f"{statistics.fmean(values):.3f} +- {statistics.pstdev(values):.3f}"
