"""Precision and recall of the detectors on a corpus, with counts and intervals."""

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from pathlib import Path
from typing import Final

import msgspec

from agents.offline.ground_truth import read_ground_truth
from evolution.errors import RunUsageError
from evolution.state.config import read_record
from evolution.state.folder import RunFolder
from runs.folders import read_run
from transfer_experiment.adoption.causal_rule import adopted
from transfer_experiment.analysis import findings_of, judge
from transfer_experiment.corpus.labels import TRUTHS, Labels, labels_of
from transfer_experiment.corpus.plan import PlannedRun
from transfer_experiment.detectors import all_kinds
from transfer_experiment.findings.kind import Case

_SUMMARIES: Final = "*/*/*/seed*/summary.json"  # half, domain, pairing: seeds are never shared
_TABLE_HEAD: Final = (
    "| measure | precision | 95% interval | recall | 95% interval |",
    "|---|---|---|---|---|",
)
_Z95: Final = 1.959963984540054  # standard normal quantile at .975


class Share(msgspec.Struct, frozen=True):
    """A share with its 95% interval by Wilson's method.

    Attributes:
        hits: Cases that count.
        cases: All cases.
        value: hits / cases; None if there is no case.
        low: Lower end of the interval; None if there is no case.
        high: Upper end.
    """

    hits: int
    cases: int
    value: float | None
    low: float | None
    high: float | None


class Mistake(msgspec.Struct, frozen=True):
    """A case in which a detector and the truth differ.

    Attributes:
        run: The run folder, relative to the corpus.
        case: Agent, generation, and what else names the case.
        kind: `missed`: true and not found; `false`: found and not true.
    """

    run: str
    case: Case = msgspec.field(name="place")
    kind: str


class MeasureScore(msgspec.Struct, frozen=True):
    """How one detector did.

    Attributes:
        measure: What it detects.
        precision: Of what it found, the share that is true.
        recall: Of what is true, the share that it found.
        mistakes: Every case in which it was wrong.
    """

    measure: str
    precision: Share
    recall: Share
    mistakes: tuple[Mistake, ...]


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


class _Judged(msgspec.Struct, frozen=True):
    run: str
    truth: Labels
    claims: Mapping[str, frozenset[Case]]


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
            f"`python -m transfer_experiment.corpus build {corpus}` plays them"
        )
    return [finished[f"seed{run.seed}"] for run in planned]


def score(corpus: Path, runs: Sequence[Path]) -> Score:
    """Score the detectors on finished runs of a corpus.

    Raises:
        OSError: A run cannot be read.
    """
    judged: list[_Judged] = []
    for run in runs:
        folder = RunFolder(run)
        config = read_record(folder.record).configuration
        truth = labels_of(read_ground_truth(folder.truth), config.agents, config.generations)
        judged.append(_Judged(str(run.relative_to(corpus)), truth, claims_of(run)))
    named = {kind.measure.name for kind in all_kinds() if kind.measure is not None}
    measures = tuple(_measure(name, judged) for name in TRUTHS)
    return Score(len(judged), measures, tuple(sorted(named.difference(TRUTHS))))


def claims_of(path: Path) -> Mapping[str, frozenset[Case]]:
    """Run every detector on a finished run, and gather what is scored: cases as labels have them.

    Raises:
        StoreError: Its space cannot be read.
    """
    run = read_run(path)
    by_agent = judge(run, rules=("causal",))
    findings = findings_of(run, by_agent)
    events = [event for agent in by_agent.values() for event in adopted(agent.causal)]
    claims: dict[str, frozenset[Case]] = {
        "adoption": frozenset((event.agent, str(event.generation)) for event in events)
    }
    for kind in all_kinds():
        if (measure := kind.measure) is not None:
            cases = (case for f in findings.of(kind.name) for case in measure.cases(f))
            claims[measure.name] = claims.get(measure.name, frozenset()) | frozenset(cases)
    return claims


def wilson(hits: int, cases: int) -> Share:
    """The interval of Wilson (1927), eq. 1.7: it stays within 0 and 1 and suits small counts."""
    if cases == 0:
        return Share(0, 0, None, None, None)
    share, z2 = hits / cases, _Z95**2
    middle = (share + z2 / (2 * cases)) / (1 + z2 / cases)
    spread = sqrt(share * (1 - share) / cases + z2 / (4 * cases**2)) * _Z95 / (1 + z2 / cases)
    return Share(hits, cases, share, max(0.0, middle - spread), min(1.0, middle + spread))


def _measure(name: str, judged: Iterable[_Judged]) -> MeasureScore:
    hits = claimed = true = 0
    mistakes: list[Mistake] = []
    for run in judged:
        label = run.truth[name]
        truth = label.true - label.unknown
        claims = run.claims.get(name, frozenset()) - label.unknown
        hits += len(truth & claims)
        claimed += len(claims)
        true += len(truth)
        mistakes += [Mistake(run.run, case, "missed") for case in sorted(truth - claims)]
        mistakes += [Mistake(run.run, case, "false") for case in sorted(claims - truth)]
    return MeasureScore(name, wilson(hits, claimed), wilson(hits, true), tuple(mistakes))


def table(score: Score) -> str:
    """Render a score: shares with their counts, intervals by Wilson's method, what has no score."""
    rows = [
        (row.measure.replace("_", " "), *_cells(row.precision), *_cells(row.recall))
        for row in score.measures
    ]
    not_scored = (
        f"\nnot scored: {name!r}, the measure of a detector; its label is missing, which is a "
        f"function under @truth_of({name!r}) (transfer_experiment/corpus/labels.py)"
        for name in score.unlabelled
    )
    return "\n".join((*_TABLE_HEAD, *(f"| {' | '.join(row)} |" for row in rows), *not_scored))


def mistakes(score: Score) -> str:
    """Render every case in which a detector was wrong, one a line."""
    return "\n".join(
        f"{measure.measure}: {mistake.kind}: {mistake.run} {' '.join(mistake.case)}"
        for measure in score.measures
        for mistake in measure.mistakes
    )


def _cells(share: Share) -> tuple[str, str]:
    if share.value is None or share.low is None or share.high is None:
        return "no case", ""
    return f"{share.value:.3f} ({share.hits}/{share.cases})", f"{share.low:.3f} to {share.high:.3f}"
