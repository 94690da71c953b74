"""One form for every run that is compared. What a source does not say is None, never a guess."""

from collections.abc import Iterator

import msgspec


class Tournament(msgspec.Struct, frozen=True, kw_only=True):
    """Two candidates of one generation, of which the better was kept.

    Attributes:
        winner: `blind` or `directed`.
        blind_score: Train score of the candidate forked from generation 0.
        directed_score: Train score of the candidate forked from the selected parent.
    """

    winner: str
    blind_score: float | None = None
    directed_score: float | None = None


class Generation(msgspec.Struct, frozen=True, kw_only=True):
    """One generation of one agent.

    Attributes:
        generation: Its number; 0 is the seed.
        parent: The generation that was selected; None for generation 0.
        forked_from: The generation whose code it started from, where that is another one.
        valid: Whether it passed its gates and was evaluated.
        train: Train score.
        val: Validation score.
        fitness: The score as the run ranked it, in [0, 1], higher is better; where it is not told,
            the validation score ranks.
        ensemble: Validation score of what it answers together with earlier ones; None where it is
            ranked by what it answers alone.
        full_eval: Whether more than the staged items were evaluated.
        tournament: What came of a tournament, if there was one.
        code_bytes: Size of task_agent.py.
        code_sha256: Hash of all its code; None where a file cannot be read, and where no other
            generation has its task_agent.py, as the whole is another one then too.
        meta_edited: Whether meta_agent.py differs from that of the generation it started from.
    """

    generation: int
    parent: int | None = None
    forked_from: int | None = None
    valid: bool
    train: float | None = None
    val: float | None = None
    fitness: float | None = None
    ensemble: float | None = None
    full_eval: bool | None = None
    tournament: Tournament | None = None
    code_bytes: int | None = None
    code_sha256: str | None = None
    meta_edited: bool | None = None

    @property
    def rank(self) -> float | None:
        """What it is ranked by, higher is better; None if it is invalid or has no score."""
        if not self.valid or self.val is None:
            return None
        return self.val if self.fitness is None else self.fitness

    @property
    def staged_only(self) -> bool:
        """Whether it passed its gates and scored nothing on the staged items."""
        return self.valid and self.full_eval is False

    @property
    def origin(self) -> int | None:
        """The generation whose code it started from."""
        return self.parent if self.forked_from is None else self.forked_from


class Agent(msgspec.Struct, frozen=True):
    """One agent of a run, with its generations in order.

    Attributes:
        name: Its name in the run; empty where a run has one agent without a name.
        generations: Ascending; numbers may be missing where files are.
        test: Score of its best generation on the sealed test split.
        planned: Generations that were asked for, beside generation 0.
    """

    name: str
    generations: tuple[Generation, ...]
    test: float | None = None
    planned: int | None = None

    @property
    def best(self) -> Generation | None:
        """The valid generation that is ranked best, the earliest of equals."""
        ranked = (found for found in self.generations if found.rank is not None)
        return max(ranked, key=lambda found: found.rank or 0.0, default=None)

    @property
    def best_val(self) -> float | None:
        """Validation score of the best generation."""
        return None if self.best is None else self.best.val

    @property
    def initial(self) -> float | None:
        """Validation score of generation 0; of its staged pass where that was all."""
        for found in self.generations:
            if found.generation == 0:
                return found.train if found.val is None and found.staged_only else found.val
        return None

    @property
    def evolved(self) -> tuple[Generation, ...]:
        """All generations but the seed."""
        return tuple(found for found in self.generations if found.generation > 0)

    def best_so_far(self) -> Iterator[float | None]:
        """For each generation, the validation score of the best one up to it."""
        best: Generation | None = None
        for found in self.generations:
            if found.rank is not None and (best is None or found.rank > (best.rank or 0.0)):
                best = found
            yield None if best is None else best.val


class Spent(msgspec.Struct, frozen=True):
    """What a run took.

    Attributes:
        calls: Model calls that a provider may have billed.
        tokens: Tokens sent and received.
        usd: Money; None if the price of a call is not known.
    """

    calls: int
    tokens: int
    usd: float | None


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One run of one arm.

    Attributes:
        experiment: What it belongs to; only runs of one experiment are compared.
        domain: The task; empty where the source does not say.
        arm: What was tried. Runs of equal arm and different seed are repetitions.
        seed: The run seed; runs of equal seed are pairs.
        source: Where it was read: its folder, or a table with others.
        agents: One, or several that share a mark space.
        spent: What it took.
        higher_is_better: Which way is up for its scores; None where the source does not say, and
            then higher is taken as better.
        test_exposed: Whether test was evaluated before the run was over, or the run went on.
        finished: Whether the run says that it is finished.
        stream: Name of the stream of random numbers, where it is not the usual one (A/A).
        terms: What else makes the arm what it is, without its name and stream; JSON values only.
        conditions: What was asked of the run beside its arm, such as models and items, by its place
            in the run's configuration; empty where the source does not say.
        in_table: Whether it was read from lines of a table, which its notes are about then.
        notes: What is missing or damaged, for people.
    """

    experiment: str = ""
    domain: str = ""
    arm: str
    seed: int
    source: str
    agents: tuple[Agent, ...]
    spent: Spent | None = None
    higher_is_better: bool | None = None
    test_exposed: bool | None = None
    finished: bool | None = None
    stream: str = ""
    terms: dict[str, object] = {}
    conditions: dict[str, str] = {}
    in_table: bool = False
    notes: tuple[str, ...] = ()

    @property
    def best_val(self) -> float | None:
        """Best validation score; of several agents the mean. None if one of them has none."""
        return _mean([agent.best_val for agent in self.agents])

    @property
    def best_rank(self) -> float | None:
        """What its best generation is ranked by, higher is better; of several agents the mean."""
        bests = (agent.best for agent in self.agents)
        return _mean([None if best is None else best.rank for best in bests])

    @property
    def ensemble(self) -> float | None:
        """Score of the best generation's ensemble; of several agents the mean."""
        bests = (agent.best for agent in self.agents)
        return _mean([None if best is None else best.ensemble for best in bests])

    @property
    def gain(self) -> float | None:
        """By how much the best validation score is better than the seed's."""
        if self.best_val is None or self.initial is None:
            return None
        gain = self.best_val - self.initial
        return round(-gain if self.higher_is_better is False else gain, 9)

    @property
    def test(self) -> float | None:
        """Test score; of several agents the mean. None if one of them has none."""
        return _mean([agent.test for agent in self.agents])

    @property
    def initial(self) -> float | None:
        """Validation score of the seed; of several agents the mean."""
        return _mean([agent.initial for agent in self.agents])

    @property
    def played(self) -> int:
        """Generations beside generation 0, of all agents."""
        return sum(len(agent.evolved) for agent in self.agents)

    @property
    def candidates(self) -> int:
        """Candidates that were made for them, as far as is told: a tournament has two."""
        evolved = [found for agent in self.agents for found in agent.evolved]
        return len(evolved) + sum(found.tournament is not None for found in evolved)


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return None
    return known[0] if len(known) == 1 else round(sum(known) / len(known), 9)
