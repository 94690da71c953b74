"""The analysis of runs: every measure of one run, or of all generations as they come.

`analyse` judges a run that was read (ours, published, a table of scores). `analyse_run` and
`RunningAnalysis` are the causal rule alone, on the marks of a run of ours.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec

from evolution.state.folder import RunFolder
from evolution.state.manifest import Closing
from evolution.state.marks import RunMarks
from runs.ours import read_turn
from runs.records import RunRead, StrategyRead
from transfer_experiment.adoption.causal_rule import Adoption, CausalJudge, Rule, adopted
from transfer_experiment.adoption.recorded import with_recorded
from transfer_experiment.adoption.side_by_side import COUNTED, RuleComparison, compare_rules
from transfer_experiment.agent_pass import AgentPass
from transfer_experiment.detectors import all_detectors
from transfer_experiment.divergence import Divergence, with_validity
from transfer_experiment.efficiency import Efficiency, efficiency_of
from transfer_experiment.findings.finding import Findings
from transfer_experiment.findings.turn import AgentFindings
from transfer_experiment.similarity.memory import Moves
from transfer_experiment.turns.code import Texts, code_of
from transfer_experiment.turns.facts import facts_of
from transfer_experiment.turns.steps import read_steps

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
        findings: What the detectors found (docs/reference/detectors.md).
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
    comparisons: tuple[RuleComparison, ...]
    findings: Findings
    notes: tuple[str, ...]
    has_code: bool
    has_traces: bool


def analyse(run: RunRead, rules: Sequence[Rule] = BOTH, moves: Moves | None = None) -> RunAnalysis:
    """Compute every measure of a run.

    Args:
        run: The run.
        rules: Whose adoption events to list; both are computed and compared.
        moves: Those that earlier analyses measured; grows.
    """
    by_agent = judge(run, moves=moves)
    agents = by_agent.values()
    causal = with_recorded(run.path, _in_order([e for agent in agents for e in agent.causal]))
    published = _in_order([event for agent in agents for event in agent.published])
    return RunAnalysis(
        pairing=run.pairing,
        seed=run.seed,
        path=str(run.path),
        agents=tuple(_agent(run, name, findings) for name, findings in by_agent.items()),
        adoptions=_valid(run, _listed(_judged(published, causal), causal, rules)),
        comparisons=tuple(compare_rules(run, published, causal)),
        findings=findings_of(run, by_agent),
        notes=(*run.notes, *(note for agent in agents for note in agent.notes)),
        has_code=any(agent.has_code for agent in agents),
        has_traces=any(agent.has_traces for agent in agents),
    )


def detect(run: RunRead) -> Findings:
    """Find everything that the detectors find in a run, ours or published."""
    return findings_of(run, judge(run, rules=()))


def judge(
    run: RunRead, rules: Collection[Rule] = BOTH, moves: Moves | None = None
) -> dict[str, AgentFindings]:
    """Go through every generation of each agent once, by some rules and all detectors."""
    moves = moves or Moves()
    by_agent: dict[str, AgentFindings] = {}
    for agent in run.agents:
        judging = AgentPass(run, agent, rules, moves)
        for turn in agent.turns:
            judging.take(turn)
        by_agent[agent.name] = judging.finish()
    return by_agent


def findings_of(run: RunRead, by_agent: Mapping[str, AgentFindings]) -> Findings:
    """Put together what was found in the agents of a run, and in the run as a whole."""
    findings = [finding for agent in by_agent.values() for finding in agent.findings]
    for detector in all_detectors():
        if detector.in_run is not None:
            findings += detector.in_run(run)
    unread = [(name, number) for name, agent in by_agent.items() for number in agent.unread]
    return Findings(tuple(findings), tuple(unread))


def _agent(run: RunRead, name: str, findings: AgentFindings) -> AgentAnalysis:
    agent = run.agent(name)
    efficiency = efficiency_of(agent, findings.calls)
    best = efficiency.best_val, efficiency.best_generation
    return AgentAnalysis(agent.name, agent.model, *best, efficiency)


def _judged(published: list[Adoption], causal: list[Adoption]) -> Iterator[Adoption]:
    """Give events by the published rule what the causal one says of the same strategy."""
    by_strategy = {
        (event.agent, event.generation, event.strategy): event
        for event in causal
        if event.verdict in COUNTED
    }
    for event in published:
        same = by_strategy.get((event.agent, event.generation, event.strategy))
        yield (
            event
            if same is None
            else msgspec.structs.replace(event, verdict=same.verdict, evidence=same.evidence)
        )


def _listed(
    published: Iterator[Adoption], causal: list[Adoption], rules: Sequence[Rule]
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
    """Return what was adopted by the causal rule, in order; nothing else is kept."""
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
        judge = self._judges[closing.manifest.agent]
        code = code_of(turn, facts_of(turn, read_steps(turn.trace)), self._texts)
        events = judge.judge(code)
        judge.take(code)
        return events
