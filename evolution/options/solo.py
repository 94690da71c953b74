"""The terms of a solo run: what one agent that improves alone does differently from arm to arm.

Errors: `ValueError` for a value that is out of its range; says which.
"""

import re
from typing import Final, Literal

import msgspec

from guards.scope.edit_scope import EditScope

SeedAgent = Literal["published", "informed"]
History = Literal["archive", "parent"]
Diagnosis = Literal["", "agent", "task_agent"]
Optimise = Literal["agent", "ensemble", "both"]
SOLO_SCOPE: Final = EditScope(allow=("**",), deny=("evals/", "strategies/"))
_NEVER: Final = 1e-15  # a chance that no expectation shows
_FOLDER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class Annealing(msgspec.Struct, frozen=True, kw_only=True):
    """Tournaments between a candidate that builds on nothing and one that builds on its parent.

    Attributes:
        p0: Probability of the first tournament, in [0, 1].
        decay: Factor that the probability takes with each tournament, in [0, 1].
    """

    p0: float = 0.5
    decay: float = 0.9

    def __post_init__(self) -> None:
        """Refuse what is no probability and no decay."""
        for name, value in (("p0", self.p0), ("decay", self.decay)):
            if not 0 <= value <= 1:
                raise ValueError(f"annealing {name} is {value}; it must be from 0 to 1")

    def probability(self, tournaments: int) -> float:
        """Probability that the next generation is a tournament.

        Args:
            tournaments: How many there were before.
        """
        return self.p0 * self.decay**tournaments

    def expected(self, generations: int) -> float:
        """Expected number of tournaments in so many generations."""
        chances = [1.0]  # that there were so many tournaments so far
        for _ in range(generations):
            after = [0.0] * (len(chances) + 1)
            for count, chance in enumerate(chances):
                held = chance * self.probability(count)
                after[count] += chance - held
                after[count + 1] += held
            while after[-1] < _NEVER:
                after.pop()
            chances = after
        return sum(count * chance for count, chance in enumerate(chances))


class SoloTerms(msgspec.Struct, frozen=True, kw_only=True):
    """What makes a solo run what it is, beside what every run has.

    Attributes:
        experiment: Label of the results folder: runs below one label are compared.
        arm: Name of the arm's folder, such as `arm_a_full`.
        selection: The rule by which parents are chosen (`evolution.selection.named`).
        frozen_meta: Whether the meta agent that runs is always generation 0's; what descendants
            make of it is kept and never executed.
        history: What of its past the agent sees: its `archive`, or the results of its `parent`.
        annealing: When tournaments are held; None holds none.
        seed_agent: The meta agent that the run starts with: the `published` one ignores its
            history and the iterations left, the `informed` one tells the model of them.
        stream: Names another stream of random numbers for the same seed; empty for the usual one.
        diagnosis: Whether the meta agent is told a problem statement that a fixed step writes from
            one failed example: of the `agent` as a whole, or of its `task_agent` too; empty: no.
        staged: Whether the rest of train waits for a hit in the staged pass.
        eval_test: Whether every generation is evaluated on test too, which agents never see.
        optimise: What fitness is of: the `agent`, the `ensemble` that it makes with the best
            earlier ones, or the mean of `both`.
        ensemble_size: Most members of an ensemble.
    """

    experiment: str
    arm: str
    selection: str = "score_child_prop"
    frozen_meta: bool = False
    history: History = "archive"
    annealing: Annealing | None = None
    seed_agent: SeedAgent = "published"
    stream: str = ""
    diagnosis: Diagnosis = ""
    staged: bool = True
    eval_test: bool = False
    optimise: Optimise = "agent"
    ensemble_size: int = 5

    def __post_init__(self) -> None:
        """Refuse names that are no folders: a record may come from anywhere."""
        for what, name in (("--experiment", self.experiment), ("the arm", self.arm)):
            if not _FOLDER.fullmatch(name):
                raise ValueError(
                    f"{name!r} cannot name a results folder; name {what} in letters, digits, '.', "
                    "'_' and '-'"
                )
        if self.ensemble_size < 2:
            raise ValueError(f"an ensemble of {self.ensemble_size} is none; it has at least 2")
