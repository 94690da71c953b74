"""The terms of a solo run: what one agent that improves alone does differently from arm to arm.

Errors: `ValueError` for a value that is out of its range; says which.
"""

import re
from functools import partial
from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from guards.scope.edit_scope import EditScope
from hyperspace.options.advice import OtherAdvice
from hyperspace.options.option import Option
from hyperspace.options.start import seed_agent_option
from hyperspace.options.values import calls_budget, positive
from hyperspace.workspace.seed_agent import PUBLISHED, read_seed_agent

_any_arm = partial(Option, group="arm", kept="identity")
_arm = partial(_any_arm, commands=("solo",))
_evaluated = partial(Option, group="evaluation", kept="identity", commands=("solo",))

History = Literal["archive", "parent"]
Diagnosis = Literal["", "agent", "task_agent"]
Optimise = Literal["agent", "ensemble", "both"]
Level = Literal["loop", "feedback", "hyperagent"]
SOLO_SCOPE: Final = EditScope(allow=("**",), deny=("evals/", "principal/", "strategies/", "task/"))
WORKER_SCOPE: Final = EditScope(allow=("task_agent.py",))  # of the levels below hyperagent
MOST_MEMBERS: Final = 1_000  # of an ensemble
_NEVER: Final = 1e-15  # a chance that no expectation shows
_FOLDER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class Annealing(msgspec.Struct, frozen=True, kw_only=True):
    """Tournaments between a candidate that builds on nothing and one that builds on its parent."""

    p0: Annotated[
        float,
        _arm("--annealing-p0", "first probability", metavar="P", default=None, default_text="0.5"),
    ] = 0.5
    decay: Annotated[
        float,
        _arm(
            "--annealing-decay",
            "factor that the probability takes with each tournament",
            metavar="F",
            default=None,
            default_text="0.9",
        ),
    ] = 0.9

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
        fewest, chances = 0, [1.0]  # of `fewest` tournaments so far, of one more, and so on
        for _ in range(generations):
            held = [chance * self.probability(fewest + at) for at, chance in enumerate(chances)]
            grown = zip((*chances, 0.0), (*held, 0.0), (0.0, *held), strict=True)
            chances = [chance - left + come for chance, left, come in grown]
            while chances[-1] < _NEVER:
                chances.pop()
            while chances[0] < _NEVER:
                del chances[0]
                fewest += 1
        return sum((fewest + at) * chance for at, chance in enumerate(chances))


class SoloTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The terms of a solo run, beside those that every run has.

    Attributes:
        history: What of its past the agent sees: its `archive`, or the results of its `parent`.
        stream: Names another stream of random numbers for the same seed; empty for the usual one.
        diagnosis: Whether the meta agent is told a problem statement that a fixed step writes from
            one failed example: of the `agent` as a whole, or of its `task_agent` too; empty: no.
        level: Whether a worker changes `task_agent.py` alone, by itself (`loop`) or with a
            reviewer's advice (`feedback`); not set (and absent from the record) for the arms.
        budget: Calls of its generations after which there are no more of them; those of the final
            test do not count. Not set (and absent from the record) for no such end.
        told: Advice of another run, which the workers of this one are told in the place of their
            own reviewer's; not set (and absent from the record) where they are told that.
    """

    experiment: Annotated[
        str,
        Option(
            "--experiment",
            "label of the results folder <domain>/<experiment>/<arm>; needed, unless --domain is "
            "given and names it",
            kept="identity",
            metavar="E",
            default=None,
            common=("solo",),
            commands=("solo",),
        ),
    ]
    arm: Annotated[
        str,
        _arm(
            "--arm",
            "a, b, c, d (or arm_a_full, arm_b_freeze, arm_c_random, arm_d_annealing), no_archive, "
            "dgm, dgm_custom (these three also as NAME_freeze), best_of_n, aa",
            metavar="ARM",
            default="a",
            common=("solo",),
        ),
    ]
    level: Annotated[
        Level | UnsetType,
        _arm(
            "--level",
            "which idea of self-improvement: a worker that keeps what is better, a worker with a "
            "reviewer, or arm a",
            default=None,
            default_text="hyperagent, which is arm a",
        ),
    ] = UNSET
    budget: Annotated[
        int | UnsetType,
        _any_arm(
            "--budget",
            "with --level: model calls after which the search ends and its best is tested, as "
            "300calls",
            metavar="Ncalls",
            parse=calls_budget,
            default=None,
            default_text="none: it ends after --generations",
            common=("levels",),
            commands=("solo", "levels"),
        ),
    ] = UNSET
    selection: Annotated[
        str,
        _arm(
            "--selection",
            "how parents are chosen, such as latest, best, score_child_prop, dgm or evolvable (the "
            "agent's own select_next_parent.py); a name that there is not lists them all",
            metavar="RULE",
            default=None,
            default_text="the arm's, in most score_child_prop",
        ),
    ] = "score_child_prop"
    frozen_meta: Annotated[
        bool,
        _arm("--freeze-meta", "the meta agent that runs is always generation 0's", default=None),
    ] = False
    history: History = "archive"
    annealing: Annotated[
        Annealing | None,
        _arm(
            "--annealing",
            "hold tournaments: blind against directed",
            kind="switch",
            const=True,
            default=False,
        ),
    ] = None
    seed_agent: Annotated[
        str,
        seed_agent_option(
            group="arm", default_text="published, what replications use", commands=("solo",)
        ),
    ] = PUBLISHED
    stream: str = ""
    told: OtherAdvice | UnsetType = UNSET
    diagnosis: Diagnosis = ""
    staged: Annotated[
        bool,
        _evaluated(
            "--skip-staged",
            "evaluate on all of train and on validation, whatever the staged pass would say",
            dest="staged",
        ),
    ] = True
    eval_test: Annotated[
        bool,
        _evaluated(
            "--eval-test",
            "evaluate every generation on test too; the run is marked as test-exposed",
        ),
    ] = False
    optimise: Annotated[
        Optimise,
        _evaluated(
            "--optimise",
            "what fitness is of: the agent, its ensemble with the best earlier ones, the mean of "
            "both",
            aliases=("--optimize",),
        ),
    ] = "agent"
    ensemble_size: Annotated[
        int,
        _evaluated(
            "--ensemble-size",
            f"with --optimise ensemble or both: most members, 2 to {MOST_MEMBERS:,}",
            metavar="K",
            parse=partial(positive, most=MOST_MEMBERS),
            default=None,
            default_text="5",
        ),
    ] = 5

    @property
    def has_worker(self) -> bool:
        """True for the levels on which nothing but the task agent changes."""
        return self.level in ("loop", "feedback")

    @property
    def edit_scope(self) -> EditScope:
        """Paths that the agent may change: of an arm, all that is not made for it to read."""
        return WORKER_SCOPE if self.has_worker else SOLO_SCOPE

    def __post_init__(self) -> None:
        """Refuse names that are no folders: a record may come from anywhere."""
        for what, name in (("--experiment", self.experiment), ("the arm", self.arm)):
            if not _FOLDER.fullmatch(name):
                raise ValueError(
                    f"{name!r} cannot name a results folder; name {what} in letters, digits, '.', "
                    "'_' and '-'"
                )
        read_seed_agent(self.seed_agent)
        if not 2 <= self.ensemble_size <= MOST_MEMBERS:
            raise ValueError(
                f"an ensemble of {self.ensemble_size} is none; it has 2 to {MOST_MEMBERS:,}"
            )
