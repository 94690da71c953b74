"""Whatever agents write, before and while a tool runs: one holder, and one agent's good actions."""

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from itertools import pairwise
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from markspace import (
    Action,
    Agent,
    ConflictPolicy,
    DecayConfig,
    Guard,
    Intent,
    MarkSpace,
    MarkType,
    Need,
    Observation,
    QuotaExceededError,
    Scope,
    ScopeError,
    ValidationError,
    Warning,
)
from markspace.errors import LeaseError
from tests.markspace.places import MakePlace, Place

ALL = [kind.value for kind in MarkType]
AGENTS = [Agent(name=name, scopes={"a": ALL}) for name in ("ann", "bob")]
TTL_S = 50.0
REFUSALS = (ScopeError, ValidationError, QuotaExceededError, LeaseError, ValueError)
POLICIES = [ConflictPolicy.HIGHEST_CONFIDENCE, ConflictPolicy.FIRST_WRITER]


class Step(NamedTuple):
    """What one agent does; the steps in it are done while its tool runs."""

    deed: str
    who: Agent
    scope: str
    resource: str
    kind: type[Any]
    number: int
    inside: tuple["Step", ...] = ()


def steps(inside: st.SearchStrategy[tuple[Step, ...]], deeds: list[str]) -> st.SearchStrategy[Step]:
    """Steps of some kinds."""
    return st.builds(
        Step,
        st.sampled_from(deeds),
        st.sampled_from(AGENTS),
        st.sampled_from(["a", "a/late"]),
        st.sampled_from("rrrq"),
        st.sampled_from([Intent, Observation, Warning, Need]),
        st.integers(0, 9),
        inside,
    )


def meanwhile(step: st.SearchStrategy[Step]) -> st.SearchStrategy[tuple[Step, ...]]:
    """What is done while a tool runs."""
    return st.lists(step, max_size=4).map(tuple)


SIMPLE = steps(
    st.just(()),
    [
        "steal",
        "steal_guarded",
        "batch",
        "weaken",
        "claim",
        "post",
        "release",
        "decide",
        "resolve",
        "wait",
        "collect",
    ],
)
PROGRAMS = st.lists(
    st.recursive(
        SIMPLE,
        lambda step: steps(meanwhile(step), ["execute", "execute", "fail"]),
        max_leaves=16,
    ),
    min_size=2,
    max_size=8,
)


class Fray:
    """A space in which agents do their worst, and what their tools did."""

    def __init__(self, home: Place, policy: ConflictPolicy) -> None:
        self.home, self.store, self.time = home, home.open(), 1.0
        decay = DecayConfig(1e6, 1e6, TTL_S)
        scopes = [
            Scope(name="a", conflict_policy=policy, decay=decay),
            Scope(name="a/late", conflict_policy=policy, decay=decay, deferred=True),
        ]
        self.space = MarkSpace(scopes, clock=self.time, store=self.store)
        self.guard = Guard(self.space)
        self.running: list[tuple[str, str]] = []

    def play(self, program: Iterable[Step]) -> None:
        """Do steps; what is refused is refused, and what is wrong fails the test."""
        for step in program:
            with suppress(*REFUSALS):
                getattr(self, step.deed)(step)
            self.check()

    def target(self, step: Step) -> UUID | None:
        """Some mark of the last three, whoever wrote it and whatever became of it."""
        last = [mark.id for _, mark in self.space.history(after=max(0, self.space.head() - 3))]
        return last[-1 - step.number % len(last)] if last else None

    def theft(self, step: Step) -> Any:
        """A mark that names another in `supersedes`; an intent is a claim of its own, too."""
        mark = step.kind(scope=step.scope, supersedes=self.target(step))
        if step.kind is not Intent:
            return mark
        return mark.model_copy(update={"resource": step.resource, "confidence": step.number / 9})

    def steal(self, step: Step) -> None:
        """Supersede a mark, past the guard."""
        self.space.write(step.who, self.theft(step))

    def steal_guarded(self, step: Step) -> None:
        """Supersede a mark, through the guard."""
        self.guard.write_mark(step.who, self.theft(step))

    def batch(self, step: Step) -> None:
        """Supersede a mark in a batch."""
        self.guard.write_all([(step.who, Observation(scope="a")), (step.who, self.theft(step))])

    def weaken(self, step: Step) -> None:
        """Warn of a mark."""
        self.space.write(step.who, Warning(scope=step.scope, invalidates=self.target(step)))

    def claim(self, step: Step) -> None:
        """Declare a claim."""
        self.guard.pre_action(step.who, step.scope, step.resource, "plan", step.number / 9)

    def post(self, step: Step) -> None:
        """Act under a declared claim."""
        self.guard.post_action(step.who, step.scope, step.resource, "do", step.who.name)

    def release(self, step: Step) -> None:
        """Withdraw whatever claim it is, in one's own name."""
        self.guard.release(self.target(step) or UUID(int=0), agent=step.who)

    def decide(self, step: Step) -> None:
        """Decide a deferred scope for those who are said to be there."""
        there = {who.id: who for bit, who in enumerate(AGENTS) if step.number >> bit & 1}
        self.guard.resolve_deferred("a/late", step.resource, there)

    def resolve(self, step: Step) -> None:
        """Resolve something that may be no need by something that may be no action."""
        target = self.target(step) or UUID(int=0)
        self.space.resolve(target, target, agent=step.who)

    def wait(self, step: Step) -> None:
        """Let intents grow old."""
        self.time += step.number * TTL_S / 6
        self.space.set_clock(self.time)

    def collect(self, _: Step) -> None:
        """Archive what is dead."""
        self.space.gc()

    def execute(self, step: Step) -> None:
        """Run a tool, with everything that goes on meanwhile."""
        self.guard.execute(
            step.who, step.scope, step.resource, "plan", "do", self.tool, step.number / 9, (step,)
        )

    def fail(self, step: Step) -> None:
        """Run a tool that fails in the end."""
        with suppress(ZeroDivisionError):
            self.execute(step)

    def tool(self, step: Step) -> str:
        """Check that nobody else is at it, and that nobody else's fact stands."""
        assert not any(self.touches(step, *other) for other in self.running), "two tools run"
        facts = [fact for fact in self.facts() if self.touches(step, fact.scope, fact.resource)]
        assert {fact.agent_id for fact in facts} <= {step.who.id}, "another agent acted on it"
        self.running.append((step.scope, step.resource))
        try:
            self.play(step.inside)
        finally:
            self.running.pop()
        return step.who.name if step.deed == "execute" else str(1 / 0)

    def touches(self, step: Step, scope: str, resource: str) -> bool:
        """Return whether a claim elsewhere is on the same resource."""
        return step.resource == resource and ("a" in (step.scope, scope) or step.scope == scope)

    def facts(self) -> list[Action]:
        """The good actions that stand."""
        read = self.space.read("a", mark_type=MarkType.ACTION, min_strength=0.0)
        return [mark for mark in read if isinstance(mark, Action) and not mark.failed]

    def check(self) -> None:
        """Each fact ended a claim of its own agent, and no claim was ended twice."""
        marks = {mark.id: mark for _, mark in self.space.history()}
        done = [mark for mark in marks.values() if isinstance(mark, Action)]
        claims = [marks[action.supersedes] for action in done if action.supersedes is not None]
        assert len(claims) == len(done)
        assert all(isinstance(claim, Intent) for claim in claims)
        assert [claim.agent_id for claim in claims] == [action.agent_id for action in done]
        assert max(Counter(claim.id for claim in claims).values(), default=1) == 1
        for mark in marks.values():
            old = marks.get(mark.supersedes) if mark.supersedes is not None else None
            assert not isinstance(old, Intent | Action) or old.agent_id == mark.agent_id

    def end(self) -> None:
        """The facts on a resource are one agent's, in the order of the log."""
        for resource in "rq":
            ordered = sorted(
                (fact for fact in self.facts() if fact.resource == resource),
                key=lambda fact: self.space.sequence_of(fact.id) or 0,
            )
            for earlier, later in pairwise(ordered):
                is_same = "a" in (earlier.scope, later.scope) or earlier.scope == later.scope
                assert not is_same or earlier.agent_id == later.agent_id
        assert self.space.verify().ok
        self.store.close()
        self.home.remove()


@pytest.mark.long
def test_whatever_agents_write_one_acts_on_a_resource(make_place: MakePlace) -> None:
    @settings(
        max_examples=150 if make_place is Place else 30,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(program=PROGRAMS, policy=st.sampled_from(POLICIES))
    def fight(program: list[Step], policy: ConflictPolicy) -> None:
        fray = Fray(make_place(), policy)
        fray.play(program)
        fray.end()

    fight()
