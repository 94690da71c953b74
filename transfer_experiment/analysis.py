"""The analysis of runs: every measure of one run, or of all generations as they come.

`analyse` judges a run that was read (ours, published, a table of scores). `analyse_run` and
`RunningAnalysis` are the causal rule alone, on the marks of a run of ours.
"""

from collections.abc import Iterator, Sequence

import msgspec

from evolution.state.folder import RunFolder
from evolution.state.manifest import Closing
from evolution.state.marks import RunMarks
from runs.ours import read_turn
from runs.records import AgentRead, RunRead, StrategyRead
from transfer_experiment.adoption.causal_rule import Adoption, CausalJudge, Rule, adopted
from transfer_experiment.adoption.recorded import with_recorded
from transfer_experiment.adoption.side_by_side import COUNTED, Comparison, compare_rules
from transfer_experiment.agent_pass import AgentPass, Found, Memory, Texts, step_of
from transfer_experiment.detectors import Findings
from transfer_experiment.detectors import of as findings_of
from transfer_experiment.detectors.contradictions import Contradiction
from transfer_experiment.detectors.crashes import Crash, crashes_of
from transfer_experiment.detectors.records import Neglect
from transfer_experiment.detectors.transfers import Independence, Transfer
from transfer_experiment.divergence import Divergence, with_validity
from transfer_experiment.efficiency import Efficiency, efficiency_of
from transfer_experiment.turns.facts import facts_of

BOTH: tuple[Rule, ...] = ("published", "causal")


class AgentAnalysis(msgspec.Struct, frozen=True):
    """One agent of a run.

    Attributes:
        name: Its name within the run.
        model: Its model.
        best_val: Best validation score; None if nothing was scored.
        best_generation: The first generation with that score.
        efficiency: How soon it got there.
    """

    name: str
    model: str
    best_val: float | None
    best_generation: int | None
    efficiency: Efficiency


class RunAnalysis(msgspec.Struct, frozen=True):
    """Everything that is found in one run; events are in the order of generations.

    Attributes:
        pairing: Name of the set of agents.
        seed: The run's seed; None if its folder does not say.
        path: Where it was read.
        agents: In turn order.
        adoptions: Events by the rules that were asked for, whatever the verdict.
        comparisons: Both rules side by side.
        crashes: Crashes that were recovered from.
        transfers: What went over from peers: results or methodology.
        independences: Generations that read a peer and went their own way.
        contradictions: Claims that the code contradicts.
        neglects: Agents that had looked at their peers and stopped.
        findings: What the other detectors found (docs/reference/detectors.md).
        notes: What was missing or damaged.
        has_code: Whether the code of any generation is there; without it nothing is known of
            adoption, and an empty list above says nothing.
        has_traces: Whether any trace can be read; without one nothing is known of reading, of
            claims and of most habits.
    """

    pairing: str
    seed: int | None
    path: str
    agents: tuple[AgentAnalysis, ...]
    adoptions: tuple[Adoption, ...]
    comparisons: tuple[Comparison, ...]
    crashes: tuple[Crash, ...]
    transfers: tuple[Transfer, ...]
    independences: tuple[Independence, ...]
    contradictions: tuple[Contradiction, ...]
    neglects: tuple[Neglect, ...]
    findings: Findings
    notes: tuple[str, ...]
    has_code: bool
    has_traces: bool


def analyse(
    run: RunRead, rules: Sequence[Rule] = BOTH, memory: Memory | None = None
) -> RunAnalysis:
    """Compute every measure of a run.

    Args:
        run: The run.
        rules: Whose adoption events to list; both are computed and compared.
        memory: What earlier analyses computed; grows.
    """
    memory = memory or Memory()
    passes = judge(run, memory)
    found = list(passes.values())
    findings = findings_of(run)
    causal = with_recorded(run.path, _in_order([e for one in found for e in one.causal]))
    published = _in_order([event for one in found for event in one.published])
    return RunAnalysis(
        pairing=run.pairing,
        seed=run.seed,
        path=str(run.path),
        agents=tuple(_agent(run, name, one) for name, one in passes.items()),
        adoptions=_valid(run, _listed(_judged(published, causal), causal, rules)),
        comparisons=tuple(compare_rules(run, published, causal)),
        crashes=tuple(crash for agent in run.agents for crash in crashes_of(agent)),
        transfers=tuple(item for one in found for item in one.transfers),
        independences=tuple(item for one in found for item in one.independences),
        contradictions=tuple(item for one in found for item in one.contradictions),
        neglects=findings.neglects,
        findings=findings,
        notes=(*run.notes, *(note for one in found for note in one.notes)),
        has_code=any(one.has_code for one in found),
        has_traces=any(one.has_traces for one in found),
    )


def judge(run: RunRead, memory: Memory) -> dict[str, Found]:
    """Judge every generation of each agent by the measures that read texts and traces."""
    return {agent.name: _pass(run, agent, memory) for agent in run.agents}


def _pass(run: RunRead, agent: AgentRead, memory: Memory) -> Found:
    going = AgentPass(run, agent, memory)
    for turn in agent.turns:
        going.take(turn)
    return going.finish()


def _agent(run: RunRead, name: str, found: Found) -> AgentAnalysis:
    agent = run.agent(name)
    efficiency = efficiency_of(agent, found.calls)
    best = efficiency.best_val, efficiency.best_generation
    return AgentAnalysis(agent.name, agent.model, *best, efficiency)


def _judged(published: list[Adoption], causal: list[Adoption]) -> list[Adoption]:
    """Give events by the published rule what the causal one says of the same strategy."""
    known = {
        (event.agent, event.generation, event.strategy): event
        for event in causal
        if event.verdict in COUNTED
    }
    return [
        _judged_as(event, known.get((event.agent, event.generation, event.strategy)))
        for event in published
    ]


def _judged_as(event: Adoption, causal: Adoption | None) -> Adoption:
    if causal is None:
        return event
    return msgspec.structs.replace(event, verdict=causal.verdict, evidence=causal.evidence)


def _listed(
    published: list[Adoption], causal: list[Adoption], rules: Sequence[Rule]
) -> tuple[Adoption, ...]:
    events = [event for event in (*published, *causal) if event.rule in rules]
    return tuple(_in_order(events))


def _valid(run: RunRead, events: tuple[Adoption, ...]) -> tuple[Adoption, ...]:
    """Mark what came after a recorded agent no longer reacted to what it saw."""
    diverged = [
        Divergence(agent.name, turn.generation, turn.diverged)
        for agent in run.agents
        for turn in agent.turns
        if turn.diverged
    ]
    return with_validity(events, min(diverged, key=lambda d: d.generation, default=None))


def _in_order(events: list[Adoption]) -> list[Adoption]:
    return sorted(events, key=lambda e: (e.generation, e.agent, e.strategy, e.rule))


def analyse_run(folder: RunFolder, marks: RunMarks, agents: Sequence[str]) -> list[Adoption]:
    """Judge every strategy that was in sight of every generation of a run, by the causal rule."""
    return sorted(judged(folder, marks, agents), key=_place)


def adopted_in(folder: RunFolder, marks: RunMarks, agents: Sequence[str]) -> list[Adoption]:
    """What was adopted by the causal rule, in order; of what was not, nothing is kept."""
    return sorted(adopted(judged(folder, marks, agents)), key=_place)


def judged(folder: RunFolder, marks: RunMarks, agents: Sequence[str]) -> Iterator[Adoption]:
    """Judge agent after agent, generation after generation; see `analyse_run`."""
    running = RunningAnalysis(folder, agents)
    for agent in agents:
        for closing in marks.closings(agent):
            yield from running.take(marks, closing)


def _place(event: Adoption) -> tuple[int, str, str]:
    return event.generation, event.agent, event.strategy


class RunningAnalysis:
    """Judges generations as they are closed; each costs the same, however long the run.

    Args:
        folder: The run's.
        agents: Its agents.
    """

    def __init__(self, folder: RunFolder, agents: Sequence[str]) -> None:
        self._folder = folder
        self._judges = {agent: CausalJudge(agent) for agent in agents}
        self._texts = Texts()
        self._strategies: dict[str, StrategyRead] = {}

    def take(self, marks: RunMarks, closing: Closing) -> list[Adoption]:
        """Judge every strategy that was in sight of an agent's next generation.

        Args:
            marks: The run's open space.
            closing: The generation; those of one agent come in their order, and a final evaluation
                has nothing to judge.
        """
        if not isinstance(closing.manifest.generation, int):
            return []
        turn = read_turn(self._folder, marks, closing, self._strategies)
        step = step_of(turn, facts_of(turn), self._texts)
        return self._judges[closing.manifest.agent].take(step)
