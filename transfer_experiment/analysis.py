"""The analysis of a run that was read (ours, published, a table of scores): every measure."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from hyperspace.runs.records import Run
from transfer_experiment.adoption.events import Adoption, Rule, in_order
from transfer_experiment.adoption.recorded import with_recorded
from transfer_experiment.adoption.side_by_side import COUNTED, RuleComparison, compare_rules
from transfer_experiment.agent_pass import AgentPass
from transfer_experiment.detectors import all_detectors
from transfer_experiment.divergence import with_validity
from transfer_experiment.efficiency import Efficiency, efficiency_of
from transfer_experiment.findings.finding import Findings
from transfer_experiment.findings.turn import AgentFindings
from transfer_experiment.similarity.moves import Moves

BOTH: tuple[Rule, ...] = ("published", "causal")


class AgentAnalysis(msgspec.Struct, frozen=True):
    """One agent of a run.

    Attributes:
        name: Its name within the run.
        model: Its model.
        best_val: Best validation score; None if nothing was scored.
        best_rank: What that generation is ranked by, in [0, 1]; higher is better.
        best_generation: The first generation that is ranked so.
        efficiency: How soon it got there.
    """

    name: str
    model: str
    best_val: float | None
    best_rank: float | None
    best_generation: int | None
    efficiency: Efficiency


class RunAnalysis(msgspec.Struct, frozen=True):
    """Everything that is found in one run; events are in the order of generations.

    Attributes:
        pairing: Name of the set of agents.
        seed: The run's seed; None if its folder does not say.
        path: Where it was read.
        higher_is_better: Which way is up for its scores; None where the source does not say, and
            then higher is taken as better.
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
    higher_is_better: bool | None
    agents: tuple[AgentAnalysis, ...]
    adoptions: tuple[Adoption, ...]
    comparisons: tuple[RuleComparison, ...]
    findings: Findings
    notes: tuple[str, ...]
    has_code: bool
    has_traces: bool


def analyse(run: Run, rules: Sequence[Rule] = BOTH, moves: Moves | None = None) -> RunAnalysis:
    """Compute every measure of a run.

    Args:
        run: The run.
        rules: Whose adoption events to list; both are computed and compared.
        moves: Those that earlier analyses measured; grows.
    """
    by_agent = judge(run, moves=moves)
    agents = by_agent.values()
    causal = with_recorded(Path(run.source), in_order(e for agent in agents for e in agent.causal))
    published = in_order(event for agent in agents for event in agent.published)
    return RunAnalysis(
        pairing=run.pairing,
        seed=run.seed,
        path=run.source,
        higher_is_better=run.higher_is_better,
        agents=tuple(
            AgentAnalysis(
                name=agent.name,
                model=agent.model,
                best_val=agent.best_val,
                best_rank=agent.best and agent.best.rank,
                best_generation=agent.best and agent.best.generation,
                efficiency=efficiency_of(run, agent, by_agent[agent.name].calls),
            )
            for agent in run.agents
        ),
        adoptions=_valid(
            run, in_order(e for e in (*_judged(published, causal), *causal) if e.rule in rules)
        ),
        comparisons=tuple(compare_rules(run, published, causal)),
        findings=findings_of(run, by_agent),
        notes=(*run.notes, *(note for agent in agents for note in agent.notes)),
        has_code=any(agent.has_code for agent in agents),
        has_traces=any(agent.has_traces for agent in agents),
    )


def detect(run: Run) -> Findings:
    """Find everything that the detectors find in a run, ours or published."""
    return findings_of(run, judge(run, rules=()))


def judge(
    run: Run, rules: Collection[Rule] = BOTH, moves: Moves | None = None
) -> dict[str, AgentFindings]:
    """Go through every generation of each agent once, by some rules and all detectors."""
    moves = moves or Moves()
    by_agent: dict[str, AgentFindings] = {}
    for agent in run.agents:
        judging = AgentPass(run, agent, rules, moves)
        for turn in agent.generations:
            judging.take(turn)
        by_agent[agent.name] = judging.finish()
    return by_agent


def findings_of(run: Run, by_agent: Mapping[str, AgentFindings]) -> Findings:
    """Put together what was found in the agents of a run, and in the run as a whole."""
    findings = [finding for agent in by_agent.values() for finding in agent.findings]
    for detector in all_detectors():
        if detector.in_run is not None:
            findings += detector.in_run(run)
    unread = [(name, number) for name, agent in by_agent.items() for number in agent.unread]
    return Findings(tuple(findings), tuple(unread))


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
            else msgspec.structs.replace(
                event, verdict=same.verdict, evidence=same.evidence, path=same.path
            )
        )


def _valid(run: Run, events: list[Adoption]) -> tuple[Adoption, ...]:
    """Mark what came after a recorded agent no longer reacted to what it saw."""
    turns = (turn for agent in run.agents for turn in agent.generations)
    return with_validity(events, min((t.generation for t in turns if t.diverged), default=None))
