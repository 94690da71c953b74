"""How the agents of a run live together: budgets, edit scopes, schedule, and what they are shown.

A pair without options has none of this on record; it is two members with the defaults below.
"""

from typing import Final, Literal

import msgspec

from guards.scope.edit_scope import EditScope

Schedule = Literal["alternating", "concurrent", "islands"]
Arm = Literal["sharing", "none", "shuffled", "placebo"]
Show = Literal["best", "top", "none"]
What = Literal["task", "meta", "score", "notes"]

ARMS: Final[tuple[Arm, ...]] = ("sharing", "none", "shuffled", "placebo")
META_AGENT: Final = "meta_agent.py"
EDITABLE: Final = ("task_agent.py", META_AGENT)
OF_THE_HOST: Final = ("agent/", "evals/", "strategies/")


class Member(msgspec.Struct, frozen=True):
    """One agent's own terms.

    Attributes:
        generations: Its budget: generations after generation 0. When they are spent it sits out
            the later rounds, and its strategies stay in sight.
        scope: Globs of the workspace paths that it may change.
        island: The group that it sees between migrations; only the schedule `islands` asks.
    """

    generations: int
    scope: tuple[str, ...] = EDITABLE
    island: str = ""

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


class FleetTerms(msgspec.Struct, frozen=True, kw_only=True):
    """The terms that decide the result of a fleet, beside those of every run.

    Attributes:
        members: The agents' own terms, in turn order.
        schedule: `alternating`: in rounds, with one snapshot a round; `islands`: so too, and
            agents see their own group between migrations; `concurrent`: each at its own pace.
        migrate_every: Rounds from one migration to the next, in which all groups see each other;
            only the schedule `islands` asks.
        sharing: What agents are shown of each other.
    """

    members: tuple[Member, ...]
    schedule: Schedule = "alternating"
    migrate_every: int = 5
    sharing: Sharing = Sharing()
