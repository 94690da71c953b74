"""What an arena's rounds came to, told from what is closed: suites, scores, who falls.

All of it is a function of closing marks and of the run's record, so a run that is taken up anywhere
finds the same. A round is asked about when everybody whom the answer needs has closed it.
"""

from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Final, NamedTuple

from msgspec.structs import replace

from hyperspace.extensions.arena.judging import known_forms, open_forms
from hyperspace.extensions.arena.suite import retained
from hyperspace.kernel.generation.rounds import Rounds
from hyperspace.kernel.generation.run_context import RunContext
from hyperspace.kernel.state.cases import JudgedCase, RoundResult, Succession
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.ids import logical_time
from hyperspace.kernel.state.manifest import Manifest, SplitResult, beats
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.options.fleet import ArenaRole
from hyperspace.tasks.base import Domain
from hyperspace.tasks.shapes.cases import HasOracle, TaskCase
from hyperspace.tasks.table import normalise

ROLES: Final[tuple[ArenaRole, ...]] = ("solver", "tester")
MOST_SHOWN: Final = 120  # cases of earlier rounds among the train items, the latest


class KeptCode(NamedTuple):
    """A solver's kept code as of the end of a round.

    Attributes:
        generation: Its number.
        result: What it answers on the items of that round; None if it never ran on them.
    """

    generation: int
    result: SplitResult | None


class ArenaRounds(Rounds):
    """The rounds of an arena, as far as they are closed.

    Args:
        config: The run's.
        marks: What its space holds.
        domain: The task, without cases; it has an oracle.
    """

    share_budget = True

    def __init__(self, config: RunConfig, marks: RunMarks, domain: Domain) -> None:
        assert isinstance(domain, HasOracle)  # noqa: S101  checked when the run is set up
        super().__init__(config, domain)
        self.oracle: HasOracle = domain
        self._marks = marks
        self._open = open_forms(domain, domain)
        self._sealed = frozenset(known_forms(domain, domain)) - self._open
        self._standing: dict[int, tuple[TaskCase, ...]] = {}
        self._fails: dict[tuple[int, bool], dict[str, int]] = {}
        self._suites: list[tuple[TaskCase, ...]] = [()]  # by round, as are those that are shown
        self._shown: list[tuple[TaskCase, ...]] = [(), ()]
        self._domains: dict[int, Domain] = {0: domain}

    def role(self, agent: str) -> ArenaRole:
        """Return what an agent does."""
        role = self._config.member(agent).role
        assert role  # noqa: S101  everybody has one in an arena
        return role

    def live(self, role: ArenaRole, number: int) -> tuple[str, ...]:
        """Return who plays a round, in turn order; those who are born in it do not."""
        return tuple(
            agent
            for agent in self._config.agents
            if self.role(agent) == role
            and self._config.plays(agent, number)
            and (number == 0 or self._config.joined(agent) < number)
        )

    def in_turn(self, number: int) -> tuple[str, ...]:
        """Return who closes a generation in a round, in order: testers, solvers, the newborn."""
        born = [a for a in self._config.agents if number and self._config.joined(a) == number]
        return (*self.live("tester", number), *self.live("solver", number), *born)

    def time(self, agent: str, number: int) -> float:
        """Return the logical time at which an agent closes a round."""
        order = self.in_turn(number)
        return logical_time(number, order.index(agent), len(order))

    def answers_items(self, agent: str) -> bool:
        """Return whether an agent is a solver."""
        return self.role(agent) == "solver"

    def epoch(self, generation: int) -> int:
        """Return the generation: each round has another suite."""
        return generation

    def domain(self, agent: str, generation: int) -> Domain:
        """Return the task with the items that an agent's generation is judged on."""
        if not self.answers_items(agent):
            return self._domain
        return self.suite_domain(generation + self._config.joined(agent))

    def domain_shown(self, agent: str, generation: int) -> Domain:
        """Return the task with cases of earlier rounds, as a solver's workspace shows it."""
        if not self.answers_items(agent):
            return self._domain
        number = generation + self._config.joined(agent)
        return self.oracle.with_cases({"train": _as_train(self.shown(number))})

    def judged(self, agent: str, number: int) -> tuple[JudgedCase, ...]:
        """Return what a tester proposed in a round, judged."""
        return self._manifest(agent, number).cases

    def standing(self, number: int) -> tuple[TaskCase, ...]:
        """Return the cases of a round that stand, in turn order, when all testers closed it."""
        if number not in self._standing:
            judged = [case for a in self.live("tester", number) for case in self.judged(a, number)]
            self._standing[number] = tuple(case.case() for case in judged if case.stands)
        return self._standing[number]

    def taken_forms(self, agent: str, number: int) -> frozenset[str]:
        """Return the normal forms that a tester finds taken at its turn of a round."""
        before = [case for past in range(number) for case in self.standing(past)]
        for other in self.live("tester", number):
            if other == agent:
                break
            before += [each.case() for each in self.judged(other, number) if each.stands]
        return self._open | {self.oracle.normal_form(case.inputs) for case in before}

    def teachable(self, cases: Iterable[TaskCase]) -> list[TaskCase]:
        """Return the cases that solvers may learn from: none is nearly a sealed item.

        Testers are told of all cases alike, so that nothing they see tells what is sealed.
        """
        return [case for case in cases if self.oracle.normal_form(case.inputs) not in self._sealed]

    def suite(self, number: int) -> tuple[TaskCase, ...]:
        """Return the made-up cases that solvers are judged on in a round, the oldest first."""
        terms = self._config.arena
        assert terms is not None  # noqa: S101  narrows the type
        for each in range(len(self._suites), number + 1):
            new, old = self.standing(each), self._suites[each - 1]
            fails = self.fails(each - 1, after=True)
            self._suites.append((*retained(old, fails, terms.suite - len(new)), *new))
        return self._suites[number]

    def shown(self, number: int) -> tuple[TaskCase, ...]:
        """Return the cases of earlier rounds that some solver failed then: train items by now."""
        for each in range(len(self._shown), number + 1):
            before, suite = self._shown[each - 1], self.teachable(self.suite(each - 1))
            fails, ids = self.fails(each - 1), {case.id for case in before}
            new = [case for case in suite if fails[case.id] and case.id not in ids]
            self._shown.append((*before, *new)[-MOST_SHOWN:])
        return self._shown[number]

    def suite_domain(self, number: int) -> Domain:
        """Return the task of a round: shown cases behind train, the live suite behind validation.

        The suite is known when every tester has closed the round.
        """
        if number not in self._domains:
            shown, suite = self.shown(number), self.suite(number)
            self._domains[number] = self.oracle.with_cases(
                {"train": _as_train(shown), "val": suite}
            )
        return self._domains[number]

    def kept(self, agent: str, number: int) -> KeptCode:
        """Return a solver's kept code at the end of a round, and its answers on the suite of it."""
        manifest = self._manifest(agent, number)
        val, again = manifest.splits.get("val"), manifest.rescored
        is_kept = manifest.valid and val is not None
        if again is None:
            return KeptCode(self._generation(agent, number), val if is_kept else None)
        chars = self._marks.closing(agent, again.generation).manifest.code_chars
        if is_kept and beats(manifest.fitness, again.fitness, manifest.code_chars, chars):
            return KeptCode(self._generation(agent, number), val)
        return KeptCode(again.generation, again.val)

    def train_answers(self, agent: str, number: int) -> Mapping[str, str]:
        """Return what a solver's kept code answers on train items, by their ids."""
        kept = self._marks.closing(agent, self.kept(agent, number).generation).manifest
        train = kept.splits.get("train")
        return {} if train is None else train.predictions

    def fails(self, number: int, *, after: bool = False) -> dict[str, int]:
        """Count the live solvers that fail each case of a closed round's suite, by its id.

        Args:
            number: The round.
            after: Whether the code counts that they kept at its end; else what they came with.
        """
        if (number, after) not in self._fails:
            cases = self.suite(number)
            failed = dict.fromkeys((case.id for case in cases), 0)
            for agent in self.live("solver", number):
                kept = self.kept(agent, number).result if after else self._came_with(agent, number)
                predictions = {} if kept is None else kept.predictions
                for case in cases:
                    failed[case.id] += normalise(predictions.get(case.id)) != case.label
            self._fails[number, after] = failed
        return self._fails[number, after]

    def solver_scores(self, number: int) -> dict[str, float]:
        """Return the accuracy of each live solver's kept code on the live suite; 0 for none."""
        kept = {agent: self.kept(agent, number).result for agent in self.live("solver", number)}
        return {agent: 0.0 if result is None else result.score for agent, result in kept.items()}

    def tester_scores(self, number: int) -> dict[str, float]:
        """Return each live tester's score since it joined or since the last tournament.

        The mean over its standing cases of the share of solvers that failed them when they came,
        times the share of its cases that stand; 0 where none does.
        """
        terms = self._config.arena
        assert terms is not None  # noqa: S101  narrows the type
        since = max(number - 1, 0) // terms.replace_every * terms.replace_every + 1
        return {
            agent: self._tester_score(agent, range(since, number + 1))
            for agent in self.live("tester", number)
        }

    def result(self, number: int) -> RoundResult:
        """Return what a closed round came to, with the places that go to somebody else."""
        solvers, testers = self.solver_scores(number), self.tester_scores(number)
        changes = self._successions(number, {"solver": solvers, "tester": testers})
        ids = tuple(case.id for case in self.suite(number))
        return RoundResult(solvers, testers, ids, changes)

    def _successions(
        self, number: int, scores: Mapping[ArenaRole, Mapping[str, float]]
    ) -> tuple[Succession, ...]:
        terms = self._config.arena
        assert terms is not None  # noqa: S101  narrows the type
        if number == 0 or number % terms.replace_every or number >= self._config.generations:
            return ()
        changes: list[Succession] = []
        for role in ROLES:
            of_role = scores[role]
            best = max(of_role, key=lambda agent: of_role[agent])  # the earliest of equals
            worst = min(reversed([*of_role]), key=lambda agent: of_role[agent])  # the latest
            if of_role[best] == of_role[worst]:
                continue
            begun = [agent for agent in self._config.agents if self.role(agent) == role]
            earlier = [agent for agent in begun if self._config.joined(agent) < number]
            generation = self.kept(best, number).generation if role == "solver" else 0
            changes.append(Succession(worst, best, generation, f"{role}{len(earlier) + 1}"))
        return tuple(changes)

    def _tester_score(self, agent: str, numbers: range) -> float:
        shares, proposed = list[float](), 0
        for number in numbers:
            if number <= self._config.joined(agent):
                continue
            judged = self.judged(agent, number)
            proposed += len(judged)
            fails, solvers = self.fails(number), len(self.live("solver", number))
            shares += [fails[case.id] / solvers for case in judged if case.stands]
        return fmean(shares) * len(shares) / proposed if shares else 0.0

    def _came_with(self, agent: str, number: int) -> SplitResult | None:
        manifest = self._manifest(agent, number)
        again = manifest.rescored
        return manifest.splits.get("val") if again is None else again.val

    def _generation(self, agent: str, number: int) -> int:
        return number - self._config.joined(agent)

    def _manifest(self, agent: str, number: int) -> Manifest:
        return self._marks.closing(agent, self._generation(agent, number)).manifest


def arena_of(context: RunContext) -> ArenaRounds:
    """Return the rounds of a run that is an arena."""
    assert isinstance(context.rounds, ArenaRounds)  # noqa: S101  narrows the type
    return context.rounds


def _as_train(cases: Iterable[TaskCase]) -> list[TaskCase]:
    """Name cases for train: one that is shown may be live, too, and ids are unique."""
    return [replace(case, id=f"{case.id}-shown") for case in cases]
