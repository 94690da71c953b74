"""How the agents of a run live together: budgets, edit scopes, schedule, and what they are shown.

A pair without options has none of this on record; it is two members with the defaults below.
"""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

from guards.scope.edit_scope import EditScope
from hyperspace.options.values import MOST_COUNTED

Schedule = Literal["alternating", "concurrent", "islands"]
Arm = Literal["sharing", "none", "shuffled", "placebo"]
EqualCost = Literal["", "copies", "alone"]
MeasureName = Literal["team_test", "area", "time_to"]
Show = Literal["best", "top", "none"]
What = Literal["task", "meta", "score", "notes"]
ArenaRole = Literal["solver", "tester"]

ARMS: Final[tuple[Arm, ...]] = ("sharing", "none", "shuffled", "placebo")
REPEATED: Final = "aa"
EQUAL_COST: Final[tuple[EqualCost, ...]] = ("copies", "alone")
META_AGENT: Final = "meta_agent.py"
EDITABLE: Final = ("task_agent.py", META_AGENT)
CASES_FILE: Final = "cases.jsonl"
OF_THE_HOST: Final = ("agent/", "evals/", "principal/", "strategies/", "task/")


class Member(msgspec.Struct, frozen=True):
    """One agent's own terms.

    Attributes:
        generations: Its budget: generations after generation 0. When they are spent it sits out
            the later rounds, and its strategies stay in sight.
        scope: Globs of the workspace paths that it may change.
        island: The group that it sees between migrations; only the schedule `islands` asks.
        role: What it does in an arena; not set (and absent from the record) elsewhere.
        extended: Its budgets before the run was extended, ascending; not set (and absent from the
            record) where it always had this one.
    """

    generations: Annotated[int, msgspec.Meta(ge=0, le=MOST_COUNTED)]
    scope: tuple[str, ...] = EDITABLE
    island: str = ""
    role: ArenaRole | UnsetType = UNSET
    extended: tuple[int, ...] | UnsetType = UNSET

    @property
    def edit_scope(self) -> EditScope:
        """Paths that it may change; files of the host are never among them, however wide a glob."""
        return EditScope(self.scope, () if self.scope == EDITABLE else OF_THE_HOST)


class Sharing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of what agents are shown of each other.

    Attributes:
        arm: `sharing`, or a control: `none` shows nothing; `shuffled` shows the strategies of
            `sharing` with each other's scores; `placebo` shows in their place an agent's own past
            bests, under made-up names.
        show: `best` is the best strategy of each peer, `top` the best `k` of all that peers have
            published, `none` nothing.
        k: How many `top` shows.
        only_other_models: Whether peers on the agent's own model are left out.
        what: What is shown of a strategy: `task` is its code but for the meta agent, `meta` its
            meta agent, `score` its scores, `notes` the comments and docstrings in what is shown,
            and files that are no Python.
    """

    arm: Arm = "sharing"
    show: Show = "best"
    k: int = 3
    only_other_models: bool = False
    what: tuple[What, ...] = ("task", "meta", "score", "notes")


class TeamMeasure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the arms of a fleet are judged by; it is chosen before they are played.

    Attributes:
        name: `team_test` is the test score of the agent that is best by validation; `area` the
            area under the team's best validation score so far, over the generations that all its
            agents made; `time_to` how many of these it took to reach a validation score.
        threshold: That score, for `time_to` alone.
    """

    name: MeasureName = "team_test"
    threshold: float | None = None


class ArenaTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The terms of an arena, in which testers make up cases for solvers.

    Attributes:
        replace_every: Rounds after which the worst of each role falls and a child of the best
            takes its place.
        suite: Most made-up cases that solvers are judged on at a time, beside the task's items.
        budget: Model calls of all agents' generations after which no round begins and nobody asks
            any more; not set for as many as the rounds take.
    """

    replace_every: Annotated[int, msgspec.Meta(ge=1)]
    suite: Annotated[int, msgspec.Meta(ge=1)]
    budget: Annotated[int, msgspec.Meta(ge=1)] | UnsetType = UNSET


class FleetTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The terms that decide the result of a fleet, beside those of every run.

    Attributes:
        members: The agents' own terms, in turn order.
        schedule: `alternating`: in rounds, with one snapshot a round; `islands`: so too, and
            agents see their own group between migrations; `concurrent`: each at its own pace.
        migrate_every: Rounds from one migration to the next, in which all groups see each other;
            only the schedule `islands` asks.
        sharing: What agents are shown of each other.
        measure: What the arms of its set are judged by; None where nothing was set, as for pairs.
        equal_cost: Which control it is of a fleet that took as many generations: `copies` are as
            many agents on one of its models, `alone` is one agent with the budgets of all. Empty
            for the fleet itself.
        stream: Names another stream of random numbers for the same seed; empty for the usual one.
        arena: What makes it an arena, whose members have roles; not set (and absent from the
            record) where it is none.
    """

    members: tuple[Member, ...]
    schedule: Schedule = "alternating"
    migrate_every: Annotated[int, msgspec.Meta(ge=1)] = 5
    sharing: Sharing = Sharing()
    measure: TeamMeasure | None = None
    equal_cost: EqualCost = ""
    stream: str = ""
    arena: ArenaTerms | UnsetType = UNSET
