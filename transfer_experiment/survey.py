"""A set of runs, analysed one after the other, and what it comes to."""

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from runs.finding import read_runs
from runs.records import RunRead
from transfer_experiment.adoption.causal_rule import Rule
from transfer_experiment.agent_pass import Memory
from transfer_experiment.analysis import BOTH, RunAnalysis, analyse
from transfer_experiment.totals import Totals, total


class Survey(msgspec.Struct, frozen=True):
    """A set of runs.

    Attributes:
        runs: What was found in each.
        totals: All of it, counted.
    """

    runs: tuple[RunAnalysis, ...]
    totals: Totals


def survey(
    base: Path,
    rules: Sequence[Rule] = BOTH,
    memory: Memory | None = None,
    each: Callable[[RunRead, RunAnalysis], None] | None = None,
) -> Survey:
    """Analyse the runs at a path; only what was found of each is kept.

    Args:
        base: A run folder, a folder of runs, or a table of scores.
        rules: Whose adoption events to list.
        memory: What earlier surveys of this process computed; grows.
        each: Told of each run as it is done, if given.

    Raises:
        RunUsageError: There is no run.
    """
    memory = memory or Memory()
    found: list[RunAnalysis] = []
    for run in read_runs(base):
        found.append(analyse(run, rules, memory))
        if each is not None:
            each(run, found[-1])
    return Survey(tuple(found), total(found))
