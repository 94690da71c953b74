"""One pass over an agent's generations, in order: every trace is opened once, for all who ask."""

from collections.abc import Collection

from hyperspace.reporting.lines import counted
from hyperspace.runs.records import Generation, Run, RunAgent
from transfer_experiment.adoption.causal_rule import CausalJudge
from transfer_experiment.adoption.events import Rule
from transfer_experiment.adoption.published_rule import PublishedJudge
from transfer_experiment.detectors import all_detectors
from transfer_experiment.findings.telling import spans
from transfer_experiment.findings.turn import AgentFindings, Turn
from transfer_experiment.similarity.moves import Moves
from transfer_experiment.turns.code import Texts, TurnCode, code_of
from transfer_experiment.turns.facts import TurnFacts, facts_of
from transfer_experiment.turns.steps import TraceSteps, read_steps
from transfer_experiment.turns.tool_calls import tool_calls


class AgentPass:
    """Judges one agent's generations by the rules of adoption and by every detector.

    Args:
        run: The run.
        agent: The agent.
        rules: By which rules of adoption.
        moves: Measures moves towards peers.

    Attributes:
        findings: What was found so far.
    """

    def __init__(self, run: Run, agent: RunAgent, rules: Collection[Rule], moves: Moves) -> None:
        self.findings = AgentFindings()
        self._agent = agent
        self._rules = rules
        self._texts = Texts()
        self._causal = CausalJudge(agent.name, moves)
        self._published = PublishedJudge(run, agent, self._texts, moves)
        self._detectors = all_detectors()
        self._last: tuple[Generation, TurnCode] | None = None
        self._untold: dict[str, list[int]] = {}
        self._moves = moves
        self._not_compared = moves.not_compared

    def take(self, turn: Generation) -> None:
        """Judge the next generation, then take its code in."""
        trace = read_steps(turn.trace)
        facts = facts_of(turn, trace)
        code = code_of(turn, facts, self._texts, self._causal.lineages.had)
        self._note(turn, trace, facts, code)
        previous = None if code.text is None else self._causal.previous
        parent = previous
        forked = None if turn.parent is None else self._agent.turn(turn.parent)
        if previous is not None and forked is not None:
            task, meta = self._texts.read(forked.task), self._texts.read(forked.meta)
            parent = TurnCode(forked.generation, task, forked.val, meta=meta)
        seen = Turn(
            agent=self._agent.name,
            generation=turn.generation,
            tools=tool_calls(trace.steps),
            facts=facts,
            code=code,
            before=self._last[1] if self._last and self.findings.task_bytes else None,
            previous=previous,
            parent=parent,
            lineages=self._causal.lineages,
        )
        for detector in self._detectors:
            if detector.in_turn is not None:
                self.findings.findings += detector.in_turn(seen)
        if code.text is not None:
            if self._last is not None and "published" in self._rules:
                lineage = self._causal.lineages.task
                judged = self._published.judge(self._last[0], turn, code, lineage)
                self.findings.published += judged
            if "causal" in self._rules:
                self.findings.causal += self._causal.judge(code)
            self.findings.task_bytes.append(len(code.text.encode()))
        self._causal.take(code)
        self._last = turn, code

    def _note(self, turn: Generation, trace: TraceSteps, facts: TurnFacts, code: TurnCode) -> None:
        findings = self.findings
        findings.has_code |= code.text is not None
        findings.has_traces |= not facts.problem
        findings.calls.append(facts.calls)
        if not trace.steps and turn.generation > 0:
            findings.unread.append(turn.generation)
        if facts.problem and turn.generation > 0 and turn.trace.path is not None:
            self._untold.setdefault(facts.problem, []).append(turn.generation)
        if facts.damaged:
            lines = counted(facts.damaged, "line")
            findings.notes.append(f"{turn.trace.name}: {lines} cannot be read and are left out")

    def finish(self) -> AgentFindings:
        """Return what was found, with a note on the traces that told nothing."""
        for detector in self._detectors:
            if detector.in_agent is not None:
                self.findings.findings += detector.in_agent(self._agent, self.findings)
        if times := self._moves.not_compared - self._not_compared:
            self.findings.notes.append(
                f"{self._agent.name}: {counted(times, 'time')} not compared by characters, which "
                "would take too much work: judged by whole lines"
            )
        for problem, generations in self._untold.items():
            self.findings.notes.append(
                f"{self._agent.name}, trace of generation {spans(generations)} {problem}: "
                "judged by the code alone"
            )
        return self.findings
