"""One form for every run that is read. What a source does not say is None, never a guess."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from hyperspace.kernel.state.config import Forked
from hyperspace.options.fleet import TeamMeasure
from hyperspace.runs.files import HeldText, StoredText
from hyperspace.runs.spent import Spent
from hyperspace.runs.trace import TraceFile


class StrategyRead(msgspec.Struct, frozen=True):
    """A strategy that was in sight of a generation.

    Attributes:
        peer: Who wrote it; the agent itself where a run shows agents their own past.
        generation: Which generation of that one.
        folder: Its folder below `strategies/`.
        task: Its task agent.
        val: The validation score that it had; None if not known.
        meta: Its meta agent.
    """

    peer: str
    generation: int
    folder: str
    task: StoredText
    meta: StoredText
    val: float | None = None


class RescoredTurn(msgspec.Struct, frozen=True):
    """The best generation before, scored on new validation items (`--rotate-val`).

    Attributes:
        generation: Its number.
        val: Its score on the new items; None if its code failed there.
        fitness: What it is ranked by from there on.
    """

    generation: int
    val: float | None
    fitness: float


class Generation(msgspec.Struct, frozen=True, kw_only=True):
    """One generation of one agent. Its texts and its trace are read when they are asked for.

    Attributes:
        generation: Its number; 0 is the seed.
        parent: The generation that was selected; None for generation 0 or where it is not known.
        forked_from: The generation whose code it started from, where that is another one.
        valid: Whether it passed its gates and was evaluated.
        error: Why not; empty when valid.
        train: Train score.
        val: Validation score.
        fitness: The score as the run ranked it, in [0, 1], higher is better; where it is not told,
            the validation score ranks.
        ensemble: Validation score of what it answers together with earlier ones; None where it is
            ranked by what it answers alone.
        full_eval: Whether more than the staged items were evaluated.
        winner: Of two candidates, forked from generation 0 (`blind`) and from the selected parent
            (`directed`), the one that was kept; empty where there was no tournament.
        is_scored: False where its scores cannot be read, so that only its files are known.
        task: Its task_agent.py.
        meta: Its meta_agent.py.
        code_bytes: Size of task_agent.py.
        code_sha256: Hash of all its code; None where a file cannot be read, and where no other
            generation has its task_agent.py, as the whole is another one then too.
        meta_edited: Whether meta_agent.py differs from that of the generation it started from.
        seen: Strategies that were in sight when it was made; of a published run concluded from
            scores: each peer's best of the generations before this one.
        trace: Its model calls.
        records: Its folder, where what was observed of it lies; None of a published run.
        own_files: Other files of its own code than those two, by path.
        diverged: Calls of a recorded agent that were answered though they were not the recorded
            ones.
        rescored: The best one before on new validation items; None where they are the same.
        results_of: Generation with the same code whose results it has; None if it was evaluated.
    """

    generation: int
    parent: int | None = None
    forked_from: int | None = None
    valid: bool
    error: str = ""
    train: float | None = None
    val: float | None = None
    fitness: float | None = None
    ensemble: float | None = None
    full_eval: bool | None = None
    winner: str = ""
    is_scored: bool = True
    task: StoredText = HeldText()
    meta: StoredText = HeldText()
    code_bytes: int | None = None
    code_sha256: str | None = None
    meta_edited: bool | None = None
    seen: tuple[StrategyRead, ...] = ()
    trace: TraceFile = TraceFile(None, "")
    records: Path | None = None
    own_files: Mapping[str, StoredText] = msgspec.field(default_factory=dict[str, StoredText])
    diverged: int = 0
    rescored: RescoredTurn | None = None
    results_of: int | None = None

    @property
    def rank(self) -> float | None:
        """The score it is ranked by, higher is better; None if it is invalid or has no score."""
        if not self.valid or self.val is None:
            return None
        return self.val if self.fitness is None else self.fitness

    @property
    def staged_only(self) -> bool:
        """True if it passed its gates and scored nothing on the staged items."""
        return self.valid and self.full_eval is False

    @property
    def origin(self) -> int | None:
        """The generation whose code it started from."""
        return self.parent if self.forked_from is None else self.forked_from


class GaplessGenerations(Sequence[Generation]):
    """Generations from 0 on of which none is missing: the one at a place has its number."""


class RunAgent(msgspec.Struct, frozen=True):
    """One agent of a run, with its generations in order.

    Attributes:
        name: Its name in the run; empty where a run has one agent without a name.
        generations: Ascending; numbers may be missing where files are. Those of a long run may be
            read when they are looked at (`hyperspace.runs.spaces.lazy_generations`).
        test: Score of its best generation on the sealed test split.
        planned: Generations that were asked for, beside generation 0.
        model: Its model; its name where the run does not say.
        forked: Whose code it began with, of an agent that joined while the run went on; None for
            the others.
    """

    name: str
    generations: Sequence[Generation]
    test: float | None = None
    planned: int | None = None
    model: str = ""
    forked: Forked | None = None

    def turn(self, generation: int) -> Generation | None:
        """Return a generation by its number; None if it is not there."""
        at = self.index(generation)
        row = self.generations[at] if at < len(self.generations) else None
        return row if row is not None and row.generation == generation else None

    def has_turn(self, generation: int) -> bool:
        """Return whether a generation is there, without reading it."""
        if isinstance(self.generations, GaplessGenerations):
            return 0 <= generation < len(self.generations)
        return self.turn(generation) is not None

    def index(self, generation: int) -> int:
        """Return the place of a generation among those that there are, or where it would be."""
        rows = self.generations
        if isinstance(rows, GaplessGenerations):
            return min(max(generation, 0), len(rows))
        if 0 <= generation < len(rows) and rows[generation].generation == generation:
            return generation  # nothing is missing before it
        return bisect_left(rows, generation, hi=min(len(rows), max(generation, 0)), key=_number)

    @property
    def best(self) -> Generation | None:
        """The valid generation that is ranked best, the earliest of equals."""
        return best_turn(self)

    @property
    def best_val(self) -> float | None:
        """Validation score of the best generation."""
        return None if self.best is None else self.best.val

    @property
    def initial(self) -> float | None:
        """Validation score of generation 0; of its staged pass where that was all."""
        start = self.turn(0)
        if start is None:
            return None
        return start.train if start.val is None and start.staged_only else start.val

    @property
    def evolved(self) -> tuple[Generation, ...]:
        """All generations but the seed."""
        return tuple(row for row in self.generations if row.generation > 0)

    def first_reaching(self, score: float, *, higher_is_better: bool | None) -> int | None:
        """Return the first valid generation with a validation score at least as good."""
        sign = -1 if higher_is_better is False else 1
        scored = ((row.generation, row.val) for row in self.generations if row.valid)
        return next(
            (at for at, val in scored if val is not None and sign * (val - score) >= 0), None
        )

    def best_so_far(self) -> Iterator[float | None]:
        """Return for each generation the validation score of the best one up to it."""
        best: Generation | None = None
        for row in self.generations:
            if row.rank is not None and (best is None or row.rank > (best.rank or 0.0)):
                best = row
            yield None if best is None else best.val


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One run of one arm, or of one set of agents.

    Attributes:
        experiment: What it belongs to; only runs of one experiment are compared.
        domain: The task; empty where the source does not say.
        arm: What was tried. Runs of equal arm and different seed are repetitions.
        pairing: Name of the set of agents wherever the run lies; empty where the arm is all.
        seed: The run seed; runs of equal seed are pairs.
        source: Where it was read: its folder, or a table with others.
        agents: One, or several that share a mark space: in turn order, by name where that is not
            known.
        spent: What it took.
        higher_is_better: Which way is up for its scores; None where the source does not say, and
            then higher is taken as better.
        test_exposed: Whether test was evaluated before the run was over, or the run went on.
        validation_bits: Bits of validation that its agents could have seen at most, as its summary
            says.
        finished: Whether the run says that it is finished.
        stream: Name of the stream of random numbers, where it is not the usual one (A/A).
        terms: What else makes the arm what it is, without its name and stream; JSON values only.
        measure: What a fleet's arms are judged by, set before they were played; None where none was
            set.
        conditions: What was asked of the run beside its arm, such as models and items, by its place
            in the run's configuration; empty where the source does not say.
        unit: What a generation is called: an `idea` of a research run, which is one job.
        in_table: Whether it was read from lines of a table, which its notes are about then.
        notes: What is missing or damaged, for people.
    """

    experiment: str = ""
    domain: str = ""
    arm: str
    pairing: str = ""
    seed: int
    source: str
    agents: tuple[RunAgent, ...]
    spent: Spent | None = None
    higher_is_better: bool | None = None
    test_exposed: bool | None = None
    validation_bits: float | None = None
    finished: bool | None = None
    stream: str = ""
    terms: dict[str, object] = {}
    measure: TeamMeasure | None = None
    conditions: dict[str, str] = {}
    unit: Literal["generation", "idea"] = "generation"
    in_table: bool = False
    notes: tuple[str, ...] = ()

    def agent(self, name: str) -> RunAgent:
        """Return an agent by name.

        Raises:
            KeyError: There is none of this name.
        """
        for agent in self.agents:
            if agent.name == name:
                return agent
        raise KeyError(name)

    def peers_of(self, name: str) -> Iterator[RunAgent]:
        """Return all other agents."""
        return (agent for agent in self.agents if agent.name != name)

    @property
    def best_agent(self) -> RunAgent | None:
        """The agent whose best generation is ranked best, of equals the earliest; None without one.

        A mean over agents would rise by copying alone, without anything that is better than before.
        """
        ranked = [
            (-best.rank, best.generation, turn)
            for turn, agent in enumerate(self.agents)
            if (best := agent.best) is not None and best.rank is not None
        ]
        return self.agents[min(ranked)[2]] if ranked else None

    @property
    def best(self) -> Generation | None:
        """The best generation of its best agent."""
        return None if self.best_agent is None else self.best_agent.best

    @property
    def best_val(self) -> float | None:
        """Validation score of the best generation of all its agents."""
        return None if self.best is None else self.best.val

    @property
    def best_rank(self) -> float | None:
        """The score that this generation is ranked by."""
        return None if self.best is None else self.best.rank

    @property
    def ensemble(self) -> float | None:
        """Score of this generation's ensemble."""
        return None if self.best is None else self.best.ensemble

    @property
    def gain(self) -> float | None:
        """By how much the best validation score is better than the seed's."""
        if self.best_val is None or self.initial is None:
            return None
        gain = self.best_val - self.initial
        return round(-gain if self.higher_is_better is False else gain, 9)

    @property
    def test(self) -> float | None:
        """Test score of the agent that is best by validation."""
        return None if self.best_agent is None else self.best_agent.test

    @property
    def initial(self) -> float | None:
        """Validation score of that agent's seed."""
        return None if self.best_agent is None else self.best_agent.initial

    @property
    def played(self) -> int:
        """Generations beside generation 0, of all agents."""
        return sum(len(agent.evolved) for agent in self.agents)

    @property
    def candidates(self) -> int:
        """Candidates that were made for them, as far as is told: a tournament has two."""
        evolved = [row for agent in self.agents for row in agent.evolved]
        return len(evolved) + sum(row.winner != "" for row in evolved)


def _number(turn: Generation) -> int:
    return turn.generation


def best_turn(
    agent: RunAgent, before: int | None = None, upto: int | None = None
) -> Generation | None:
    """Return the valid generation that is ranked best, the earliest of equals.

    Args:
        agent: Whose.
        before: Only generations below this number.
        upto: Only generations up to this number.

    Returns:
        None if none of them is valid and has a score.
    """
    best: Generation | None = None
    for row in agent.generations:
        if (before is not None and row.generation >= before) or (
            upto is not None and row.generation > upto
        ):
            break
        again = row.rescored
        if again is not None and best is not None and best.generation == again.generation:
            best = msgspec.structs.replace(best, val=again.val, fitness=again.fitness)
        if row.rank is not None and (best is None or best.rank is None or row.rank > best.rank):
            best = row
    return best
