"""Precision and recall of the detectors of habits, on runs of personas."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from benchmarks.detectors.ground_truth import ground_truth
from benchmarks.detectors.labels import TRUTHS, labels_of
from benchmarks.detectors.measured import (
    JudgedRun,
    MeasureScore,
    measure_score,
    measures_table,
)
from benchmarks.detectors.plan import PlannedRun
from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.state.config import read_record
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.runs.folders import read_run
from transfer_experiment.analysis import findings_of, judge
from transfer_experiment.detectors import all_kinds
from transfer_experiment.findings.kind import Case

_SUMMARIES: Final = "*/*/*/seed*/summary.json"  # half, domain, pairing: seeds are never shared


class Score(msgspec.Struct, frozen=True):
    """How the detectors did on a set of runs.

    Attributes:
        runs: How many.
        measures: Those that have labels, each with its score.
        unlabelled: Measures that a kind of finding names and no function under `@truth_of` labels.
    """

    runs: int
    measures: tuple[MeasureScore, ...]
    unlabelled: tuple[str, ...]


def finished_runs(corpus: Path, planned: Sequence[PlannedRun]) -> list[Path]:
    """The folders of planned runs.

    Raises:
        RunUsageError: One of them is not finished.
    """
    finished = {path.parent.name: path.parent for path in sorted(corpus.glob(_SUMMARIES))}
    missing = [run for run in planned if f"seed{run.seed}" not in finished]
    if missing:
        raise RunUsageError(
            f"{len(missing)} of {len(planned)} runs are not finished in {corpus}; "
            f"`python -m benchmarks.detectors build {corpus}` plays them"
        )
    return [finished[f"seed{run.seed}"] for run in planned]


def score(corpus: Path, runs: Sequence[Path]) -> Score:
    """Score the detectors on finished runs of a corpus.

    Raises:
        OSError: A run cannot be read.
    """
    judged: list[JudgedRun] = []
    for run in runs:
        config = read_record(RunFolder(run).record).configuration
        truth = labels_of(ground_truth(run), config.agents, config.generations)
        judged.append(JudgedRun(str(run.relative_to(corpus)), truth, claims_of(run)))
    named = {kind.measure.name for kind in all_kinds() if kind.measure is not None}
    measures = tuple(measure_score(name, judged) for name in TRUTHS)
    return Score(len(judged), measures, tuple(sorted(named.difference(TRUTHS))))


def claims_of(path: Path) -> Mapping[str, frozenset[Case]]:
    """Run every detector on a finished run, and gather what is scored: cases as labels have them.

    Raises:
        StoreError: Its space cannot be read.
    """
    run = read_run(path)
    findings = findings_of(run, judge(run, rules=("causal",)))
    claims: dict[str, frozenset[Case]] = {}
    for kind in all_kinds():
        if (measure := kind.measure) is not None:
            cases = (case for f in findings.of(kind.name) for case in measure.cases(f))
            claims[measure.name] = claims.get(measure.name, frozenset()) | frozenset(cases)
    return claims


def table(score: Score) -> str:
    """Render a score: shares with their counts, intervals by Wilson's method, what has no score."""
    not_scored = (
        f"\nnot scored: {name!r}, the measure of a detector; its label is missing, which is a "
        f"function under @truth_of({name!r}) (benchmarks/detectors/labels.py)"
        for name in score.unlabelled
    )
    return "\n".join((measures_table(score.measures), *not_scored))
