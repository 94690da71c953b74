"""A set of runs, analysed one after the other, and what it comes to."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from runs.finding import read_runs
from runs.records import Run
from transfer_experiment.adoption.causal_rule import Rule
from transfer_experiment.analysis import BOTH, RunAnalysis, analyse
from transfer_experiment.similarity.memory import Moves
from transfer_experiment.totals import Totals, total


class RunsSurvey(msgspec.Struct, frozen=True):
    """A set of runs.

    Attributes:
        runs: The analysis of each.
        totals: All of it, counted.
    """

    runs: tuple[RunAnalysis, ...]
    totals: Totals


def survey(
    base: Path,
    rules: Sequence[Rule] = BOTH,
    moves: Moves | None = None,
    each: Callable[[Run, RunAnalysis], None] | None = None,
) -> RunsSurvey:
    """Analyse the runs at a path; only what was found of each is kept.

    Args:
        base: A run folder, a folder of runs, or a table of scores.
        rules: Whose adoption events to list.
        moves: Those that earlier surveys of this process measured; grows.
        each: Told of each run as it is done, if given.

    Raises:
        RunUsageError: There is no run.
    """
    moves = moves or Moves()
    analyses: list[RunAnalysis] = []
    for run in read_runs(base):
        analyses.append(analyse(run, rules, moves))
        if each is not None:
            each(run, analyses[-1])
    return RunsSurvey(tuple(analyses), total(analyses))
