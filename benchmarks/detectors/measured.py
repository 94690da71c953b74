"""Shares with their intervals: what scores are made of."""

from collections.abc import Iterable, Mapping
from math import sqrt
from typing import Final

import msgspec

from benchmarks.detectors.labels import Label
from transfer_experiment.findings.kind import Case

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

    def cells(self) -> tuple[str, str]:
        """The share with its counts, and its interval, as cells of a table."""
        if self.value is None or self.low is None or self.high is None:
            return "no case", ""
        counts = f"{self.value:.3f} ({self.hits}/{self.cases})"
        return counts, f"{self.low:.3f} to {self.high:.3f}"


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


class JudgedRun(msgspec.Struct, frozen=True):
    """What is true of a run, and what was found in it.

    Attributes:
        run: The run folder, relative to the corpus.
        truth: Labels by measure.
        claims: Cases that were found, by measure.
    """

    run: str
    truth: Mapping[str, Label]
    claims: Mapping[str, frozenset[Case]]


def wilson(hits: int, cases: int) -> Share:
    """The interval of Wilson (1927), eq. 1.7: it stays within 0 and 1 and suits small counts."""
    if cases == 0:
        return Share(0, 0, None, None, None)
    share, z2 = hits / cases, _Z95**2
    middle = (share + z2 / (2 * cases)) / (1 + z2 / cases)
    spread = sqrt(share * (1 - share) / cases + z2 / (4 * cases**2)) * _Z95 / (1 + z2 / cases)
    return Share(hits, cases, share, max(0.0, middle - spread), min(1.0, middle + spread))


def measure_score(name: str, judged: Iterable[JudgedRun]) -> MeasureScore:
    """Precision and recall of one measure, over some runs."""
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


def measures_table(measures: Iterable[MeasureScore]) -> str:
    """Render shares with their counts and intervals, one measure a row."""
    head = ("measure", "precision", "95% interval", "recall", "95% interval")
    rows = (
        (row.measure.replace("_", " "), *row.precision.cells(), *row.recall.cells())
        for row in measures
    )
    return markdown(head, rows)


def markdown(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Render a table."""
    titles = tuple(head)
    return "\n".join(f"| {' | '.join(row)} |" for row in (titles, ["---"] * len(titles), *rows))


def mistakes(measures: Iterable[MeasureScore]) -> str:
    """Render every case in which a detector was wrong, one a line."""
    return "\n".join(
        f"{measure.measure}: {mistake.kind}: {mistake.run} {' '.join(mistake.case)}"
        for measure in measures
        for mistake in measure.mistakes
    )
