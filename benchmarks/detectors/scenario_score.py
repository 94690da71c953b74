"""Precision and recall of `adopted`, of `from whom` and of `inspired`, on runs of scenarios."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from benchmarks.detectors.constructions import contradictions
from benchmarks.detectors.ground_truth import ground_truth
from benchmarks.detectors.labels import Label
from benchmarks.detectors.measured import (
    JudgedRun,
    MeasureScore,
    Share,
    markdown,
    measure_score,
    measures_table,
    wilson,
)
from benchmarks.detectors.scenario import ScenarioTurn
from benchmarks.detectors.scenario_runs import ScenarioRun
from hyperspace.kernel.errors import RunUsageError
from hyperspace.runs.folders import read_run
from transfer_experiment.adoption.events import Adoption
from transfer_experiment.analysis import judge

MEASURES: Final = ("adopted", "from_whom", "inspired")

_GROUPS: Final[Mapping[str, Callable[[ScenarioTurn], str]]] = {
    "reads": lambda turn: turn.reads,
    "takes": lambda turn: turn.takes,
    "case": lambda turn: turn.case,
}


class JudgedTurn(msgspec.Struct, frozen=True):
    """A turn with what was found in it.

    Attributes:
        turn: With its label.
        peers: From whom it adopted, as was found.
    """

    turn: ScenarioTurn
    peers: frozenset[str]


class GroupScore(msgspec.Struct, frozen=True):
    """How `adopted` did on the turns that have something in common.

    Attributes:
        group: `reads`, `takes` or `case`.
        value: What they have in common.
        precision: Of what was found, the share that is true.
        recall: Of what is true, the share that was found.
        left_alone: Of the turns that took nothing or little, the share in which none was found.
        from_whom: Of what is true, the share that was found with the right peer, and no other.
    """

    group: str
    value: str
    precision: Share
    recall: Share
    left_alone: Share
    from_whom: Share


class ScenarioScore(msgspec.Struct, frozen=True):
    """How the causal rule did on runs of scenarios.

    Attributes:
        runs: How many.
        measures: `adopted`, `from_whom` and `inspired`.
        groups: `adopted` by way of reading, way of taking, and case.
        not_borne_out: Turns whose labels recorded code contradicts, and why; they are left out.
    """

    runs: int
    measures: tuple[MeasureScore, ...]
    groups: tuple[GroupScore, ...]
    not_borne_out: tuple[str, ...]


def score_scenarios(runs: Sequence[ScenarioRun]) -> ScenarioScore:
    """Score the causal rule on finished runs of scenarios.

    Raises:
        RunUsageError: One of them is not finished.
        UnknownModel: A file is no scenario.
        StoreError: A space cannot be read.
    """
    judged: list[JudgedRun] = []
    turns: list[JudgedTurn] = []
    excluded: list[str] = []
    for run in runs:
        folder = run.folder
        if folder is None:
            where = run.file.parent
            raise RunUsageError(
                f"{run.name} is not finished in {where}; "
                f"`python -m benchmarks.detectors play {where}` plays it"
            )
        scenario, recorded = run.scenario(), read_run(folder)
        problems = contradictions(scenario, recorded, ground_truth(folder))
        excluded += [f"{run.name} {a} gen {g}: {why}" for (a, g), why in sorted(problems.items())]
        by_agent = judge(recorded, rules=("causal",))
        events = [
            event
            for agent in by_agent.values()
            for event in agent.causal
            if (event.agent, event.generation) not in problems
        ]
        labelled = [t for t in scenario.turns if (t.agent, t.generation) not in problems]
        judged.append(JudgedRun(run.name, _truth(labelled), _claims(events)))
        turns += [_judged(turn, events) for turn in labelled]
    return ScenarioScore(
        len(runs),
        tuple(measure_score(measure, judged) for measure in MEASURES),
        tuple(_groups(turns)),
        tuple(excluded),
    )


def _truth(turns: Iterable[ScenarioTurn]) -> Mapping[str, Label]:
    adopted = [turn for turn in turns if turn.verdict == "adopted"]
    inspired = [turn for turn in turns if turn.verdict == "inspired"]
    return {
        "adopted": Label(frozenset((t.agent, str(t.generation)) for t in adopted)),
        "from_whom": Label(frozenset((t.agent, str(t.generation), t.peer) for t in adopted)),
        "inspired": Label(frozenset((t.agent, str(t.generation)) for t in inspired)),
    }


def _claims(events: Iterable[Adoption]) -> Mapping[str, frozenset[tuple[str, ...]]]:
    adopted = [event for event in events if event.verdict == "adopted"]
    inspired = [event for event in events if event.verdict == "inspired"]
    return {
        "adopted": frozenset((e.agent, str(e.generation)) for e in adopted),
        "from_whom": frozenset((e.agent, str(e.generation), e.peer) for e in adopted),
        "inspired": frozenset((e.agent, str(e.generation)) for e in inspired),
    }


def _judged(turn: ScenarioTurn, events: Iterable[Adoption]) -> JudgedTurn:
    peers = (
        event.peer
        for event in events
        if event.verdict == "adopted"
        and (event.agent, event.generation) == (turn.agent, turn.generation)
    )
    return JudgedTurn(turn, frozenset(peers))


def _groups(turns: Sequence[JudgedTurn]) -> Iterable[GroupScore]:
    for group, value_of in _GROUPS.items():
        values = {value_of(judged.turn) for judged in turns} - {""}
        for value in sorted(values):
            yield group_score(
                group, value, [each for each in turns if value_of(each.turn) == value]
            )


def group_score(group: str, value: str, turns: Sequence[JudgedTurn]) -> GroupScore:
    """Score `adopted` on turns that have something in common.

    Args:
        group: By what they are grouped.
        value: What they have in common.
        turns: Those turns, true ones and others.
    """
    true = [judged for judged in turns if judged.turn.verdict == "adopted"]
    others = [judged for judged in turns if judged.turn.verdict != "adopted"]
    hits = sum(bool(judged.peers) for judged in true)
    false = sum(bool(judged.peers) for judged in others)
    exact = sum(judged.peers == frozenset({judged.turn.peer}) for judged in true)
    return GroupScore(
        group,
        value,
        wilson(hits, hits + false),
        wilson(hits, len(true)),
        wilson(len(others) - false, len(others)),
        wilson(exact, len(true)),
    )


def scenarios_table(score: ScenarioScore) -> str:
    """Render a score: the measures, the three groupings, and what recorded code contradicts."""
    parts = [measures_table(score.measures)]
    for group in _GROUPS:
        head = (group, "precision", "recall", "left alone", "from whom")
        rows = (
            (row.value, *map(_cell, (row.precision, row.recall, row.left_alone, row.from_whom)))
            for row in score.groups
            if row.group == group
        )
        parts.append(markdown(head, rows))
    parts += [f"left out, its label is not borne out: {line}" for line in score.not_borne_out]
    return "\n\n".join(parts)


def _cell(share: Share) -> str:
    counts, interval = share.cells()
    return f"{counts}, {interval}" if interval else "-"
