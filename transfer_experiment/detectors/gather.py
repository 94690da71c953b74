"""All detectors over one run: each trace and each text is read once, one generation at a time."""

from collections.abc import Iterator
from itertools import combinations

from runs.records import AgentRead, RunRead, TurnRead
from transfer_experiment.detectors.code_steps import meta_edit, stuck, trajectory
from transfer_experiment.detectors.complacency import boasts, stops
from transfer_experiment.detectors.failures import failed_edits
from transfer_experiment.detectors.looks import look, neglects
from transfer_experiment.detectors.probes import probes
from transfer_experiment.detectors.records import (
    Complacency,
    Diversity,
    DoomLoop,
    Exhaustion,
    FailedEdit,
    Findings,
    Look,
    MetaEdit,
    Neglect,
    Probe,
    RepeatedView,
    SizeTrajectory,
    Stuck,
)
from transfer_experiment.detectors.repetition import doom_loops, exhaustion, repeated_views
from transfer_experiment.similarity.moves import distance
from transfer_experiment.turns.tool_calls import Acts, acts_of

MOST_DISTANCES = 6


def of(run: RunRead) -> Findings:
    """Find everything in one run, ours or published."""
    gathered = _Gathered()
    for agent in run.agents:
        _Pass(agent.name, gathered).take_all(agent)
    return gathered.findings(tuple(diversity(run)))


def diversity(run: RunRead) -> Iterator[Diversity]:
    """Measure each pair of agents at generations that both have code of, evenly spread.

    A distance between unlike texts costs milliseconds; six of them show where two lines go.
    """
    for one, other in combinations(run.agents, 2):
        step = max(1, -(-len(one.turns) // MOST_DISTANCES))
        for turn in one.turns[::step]:
            beside = other.turn(turn.generation)
            mine, theirs = turn.task_text, beside.task_text if beside else None
            if mine is not None and theirs is not None:
                yield Diversity(turn.generation, one.name, other.name, distance(mine, theirs))


class _Gathered:
    def __init__(self) -> None:
        self.looks: list[Look] = []
        self.neglects: list[Neglect] = []
        self.doom_loops: list[DoomLoop] = []
        self.exhaustions: list[Exhaustion] = []
        self.repeated_views: list[RepeatedView] = []
        self.failed_edits: list[FailedEdit] = []
        self.meta_edits: list[MetaEdit] = []
        self.probes: list[Probe] = []
        self.stuck: list[Stuck] = []
        self.sizes: list[SizeTrajectory] = []
        self.complacency: list[Complacency] = []
        self.unread: list[tuple[str, int]] = []

    def findings(self, distances: tuple[Diversity, ...]) -> Findings:
        found = {name: tuple(items) for name, items in vars(self).items()}
        return Findings(**found, diversity=distances)


class _Pass:
    """One agent's generations in order; holds the texts of one generation, never of all."""

    def __init__(self, agent: str, found: _Gathered) -> None:
        self._agent = agent
        self._found = found
        self._task: str | None = None
        self._meta: str | None = None
        self._sizes: list[int] = []
        self._looked: list[tuple[int, bool, Look | None]] = []

    def take_all(self, agent: AgentRead) -> None:
        for turn in agent.turns:
            self._take(turn, acts_of(turn))
        self._found.neglects += neglects(self._agent, self._looked)
        shape = trajectory(self._agent, self._sizes)
        self._found.sizes += [shape] if shape else []

    def _take(self, turn: TurnRead, done: Acts) -> None:
        self._take_code(turn, done)
        if turn.generation == 0 and not done.is_known:
            return
        found, agent = self._found, self._agent
        seen = look(agent, done)
        self._looked.append((turn.generation, done.is_known, seen))
        if not done.is_known:
            found.unread.append((agent, turn.generation))
            return
        found.looks += [seen] if seen else []
        found.doom_loops += doom_loops(agent, done)
        spent = exhaustion(agent, done)
        found.exhaustions += [spent] if spent else []
        found.repeated_views += repeated_views(agent, done)
        found.failed_edits += failed_edits(agent, done)
        found.probes += probes(agent, done)

    def _take_code(self, turn: TurnRead, done: Acts) -> None:
        found, agent = self._found, self._agent
        task, meta = turn.task_text, turn.meta_text
        if self._sizes or self._task is not None:
            standing = stuck(agent, done, task, self._task)
            found.stuck += [standing] if standing else []
            ended = stops(done, standing)
            found.complacency += [ended] if ended else []
            edited = meta_edit(agent, done, meta, self._meta)
            found.meta_edits += [edited] if edited else []
            found.complacency += boasts(agent, done, "task_agent.py", task, self._task)
            if self._meta is not None:
                found.complacency += boasts(agent, done, "meta_agent.py", meta, self._meta)
        if task is not None:
            self._sizes.append(len(task.encode()))
        self._task, self._meta = task, meta
