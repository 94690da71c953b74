"""One pass over an agent's generations, in order: every text and every trace is read once."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence

import msgspec

from runs.files import Text
from runs.records import AgentRead, RunRead, TurnRead
from transfer_experiment.adoption.causal_rule import Adoption, CausalJudge, Seen, Step
from transfer_experiment.adoption.lineage import lines_of
from transfer_experiment.adoption.published_rule import Judge, PublishedEvent, published_events
from transfer_experiment.detectors.contradictions import Contradiction, find_contradictions
from transfer_experiment.detectors.transfers import (
    Independence,
    Lineages,
    Transfer,
    find_independence,
    find_transfers,
)
from transfer_experiment.similarity.memory import TEXTS_AT_HAND, Kept, Moves
from transfer_experiment.turns.facts import TurnFacts, facts_of


class Memory:
    """What analyses of this process have computed; see `measures.memory`."""

    def __init__(self) -> None:
        self.moves = Moves()
        self._facts: Kept[TurnFacts] = Kept()

    def facts(self, turn: TurnRead) -> TurnFacts:
        """What a turn's trace tells; read again only if the file is another."""
        state = turn.trace.state()
        if state is None:
            return facts_of(turn)
        shown = tuple((seen.folder, seen.peer) for seen in turn.seen)
        return self._facts.get((state, shown), lambda: facts_of(turn))


class Texts:
    """Reads texts, and has the last few at hand."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Text, str | None] = OrderedDict()

    def read(self, text: Text) -> str | None:
        """The text; None if it is not there."""
        if text not in self._kept:
            self._kept[text] = text.read()
            if len(self._kept) > TEXTS_AT_HAND:
                self._kept.popitem(last=False)
        self._kept.move_to_end(text)
        return self._kept[text]


class Found(msgspec.Struct):
    """What the pass finds of an agent; grows with each generation."""

    published: list[Adoption] = []
    causal: list[Adoption] = []
    transfers: list[Transfer] = []
    independences: list[Independence] = []
    contradictions: list[Contradiction] = []
    calls: list[int | None] = []
    notes: list[str] = []
    has_code: bool = False
    has_traces: bool = False


class AgentPass:
    """Judges one agent's generations by every measure that reads texts or traces.

    Attributes:
        found: What was found so far.
    """

    def __init__(self, run: RunRead, agent: AgentRead, memory: Memory) -> None:
        self.found = Found()
        self._run = run
        self._agent = agent
        self._memory = memory
        self._texts = Texts()
        self._judge = CausalJudge(agent.name, memory.moves)
        self._lineages = Lineages(self._judge.lineage)
        self._before: TurnRead | None = None
        self._previous: Step | None = None
        self._untold: dict[str, list[int]] = {}

    def take(self, turn: TurnRead) -> None:
        """Judge the next generation."""
        facts = self._memory.facts(turn)
        step = step_of(turn, facts, self._texts)
        self._note(turn, facts)
        self.found.has_code |= step.text is not None
        self.found.has_traces |= not facts.problem
        causal = self._relate(turn, step, facts) if step.text is not None else []
        self.found.causal += causal
        self._before = turn

    def _relate(self, turn: TurnRead, step: Step, facts: TurnFacts) -> list[Adoption]:
        """Compare a generation with those before it and with its peers, then take it in."""
        if self._before is not None:
            self.found.published += self._published(self._before, turn, step)
        if (previous := self._previous) is not None:
            self._explain(previous, turn, step, facts)
        causal = self._judge.take(step)
        self._lineages.meta.take(step.generation, step.meta or "", {})
        self._previous = step
        return causal

    def _explain(self, previous: Step, turn: TurnRead, step: Step, facts: TurnFacts) -> None:
        name, known = self._agent.name, self._lineages
        self.found.transfers += find_transfers(name, previous, step, known)
        self.found.independences += find_independence(name, previous, step, known)
        parent = self._parent(turn) or previous
        self.found.contradictions += find_contradictions(name, parent, step, facts, known)

    def _parent(self, turn: TurnRead) -> Step | None:
        """What a generation was forked from, if the run says so."""
        parent = None if turn.parent is None else self._agent.turn(turn.parent)
        if parent is None:
            return None
        texts = self._texts
        return Step(
            parent.generation, texts.read(parent.task), parent.val, (), texts.read(parent.meta)
        )

    def _published(self, before: TurnRead, turn: TurnRead, step: Step) -> Iterator[Adoption]:
        judge = Judge(self._texts.read, self._memory.moves)
        for event in published_events(self._run, self._agent, before, turn, judge):
            yield self._as_adoption(event, step)

    def _as_adoption(self, event: PublishedEvent, step: Step) -> Adoption:
        """An event by the published rule, with what else is known of it; judged later."""
        strategy = f"strategies/{event.peer}_gen{event.source}"
        source = self._run.agent(event.peer).turn(event.source)
        peer = lines_of((source and self._texts.read(source.task)) or "")
        lineage = self._lineages.task
        return Adoption(
            agent=self._agent.name,
            peer=event.peer,
            generation=event.generation,
            strategy=strategy,
            ratio=event.move.ratio,
            d_own=event.move.d_own,
            d_peer=event.move.d_peer,
            score_before=event.score_before,
            score_after=event.score_after,
            peer_lines=len(lineage.from_peer(step.text or "", peer)),
            rule="published",
            verdict="coincident",
            evidence=next((s.evidence for s in step.seen if s.strategy == strategy), ()),
            lines=lineage.count(step.text or "", peer),
        )

    def _note(self, turn: TurnRead, facts: TurnFacts) -> None:
        self.found.calls.append(facts.calls)
        if facts.problem and turn.generation > 0 and turn.trace.path is not None:
            self._untold.setdefault(facts.problem, []).append(turn.generation)
        if facts.damaged:
            lines = "line" if facts.damaged == 1 else "lines"
            self.found.notes.append(
                f"{turn.trace.name}: {facts.damaged} {lines} cannot be read and are left out"
            )

    def finish(self) -> Found:
        """What was found, with a note on the traces that told nothing."""
        for problem, generations in self._untold.items():
            self.found.notes.append(
                f"{self._agent.name}, trace of generation {spans(generations)} {problem}: "
                "judged by the code alone"
            )
        return self.found


def spans(numbers: Sequence[int]) -> str:
    """Name ascending numbers shortly: `1-3, 7`."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and number == parts[-1][-1] + 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(str(p[0]) if len(p) == 1 else f"{p[0]}-{p[-1]}" for p in parts)


def step_of(turn: TurnRead, facts: TurnFacts, texts: Texts) -> Step:
    """A generation as the rules need it: with its texts, and the evidence in its trace."""
    return Step(
        generation=turn.generation,
        text=texts.read(turn.task),
        val_score=turn.val,
        seen=tuple(
            Seen(
                peer=seen.peer,
                strategy=f"strategies/{seen.folder}",
                text=texts.read(seen.task) or "",
                evidence=facts.evidence.get(seen.folder, ()),
                meta=texts.read(seen.meta) or "",
            )
            for seen in turn.seen
        ),
        meta=texts.read(turn.meta),
        trace_problem=facts.problem,
        went_back=facts.went_back,
    )
