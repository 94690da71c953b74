"""The simulation of coordination is safe on every store, and its examination sees what is not."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from uuid import UUID, uuid4

import pytest

from benchmarks.stress.__main__ import main
from benchmarks.stress.report import lines
from benchmarks.stress.safety import examine
from benchmarks.stress.stores import in_postgres, in_sqlite
from benchmarks.stress.world import World
from markspace import (
    Action,
    Agent,
    AnyMark,
    Guard,
    Intent,
    MarkSpace,
    MarkType,
    Need,
    Observation,
    Scope,
    Warning,
)
from markspace.keeping.audit import Decision
from markspace.keeping.codec import FORMS, position
from markspace.keeping.identity import AgentHandle
from markspace.stores.sqlite import SQLiteStore
from tests.support.servers.postgres_server import why_not

SMALL = World(agents=50, rounds=2, crowd=12)
"""Five sectors: every conflict policy, deferral and visibility."""


def test_fifty_agents_in_memory_are_safe(capsys: pytest.CaptureFixture[str]) -> None:
    small = ["--agents", "50", "--rounds", "2", "--crowd", "12"]
    assert main([*small, "--stores", "memory"]) == 0
    printed = capsys.readouterr().out
    assert "50 agents, 2 rounds, 1 processes" in printed
    assert " 0 violations of safety" in printed


@pytest.mark.long
def test_two_processes_on_one_file_are_safe() -> None:
    played = in_sqlite(SMALL, 2)
    assert played.findings.violations == []
    assert played.findings.winners > 0
    assert sum(played.findings.refused.values()) > 0
    assert {"look", "claim", "execute", "act", "decide", "choose", "answer"} <= {
        line.split("  ")[1] for line in lines("sqlite", SMALL, played) if line.startswith("  ")
    }


@pytest.mark.postgres
def test_two_processes_on_one_server_are_safe() -> None:
    reason = why_not()
    if reason is not None:
        pytest.skip(reason)
    played = in_postgres(SMALL, 2)
    assert played.findings.violations == []
    assert played.findings.winners > 0


class House(NamedTuple):
    """A space with a resource in a scope `a`, two agents, and one that may do anything."""

    guard: Guard
    ann: AgentHandle
    bob: AgentHandle
    system: AgentHandle

    def claim(self, agent: AgentHandle, confidence: float) -> UUID:
        """Claim the resource by the guard."""
        decision = self.guard.pre_action(agent, "a", "door", "plan", confidence)
        assert decision.intent_id is not None
        return decision.intent_id

    def act(self, agent: AgentHandle, claim: UUID | None = None) -> None:
        """Write an action past the guard."""
        self.guard.space.write(agent, Action(scope="a", resource="door", supersedes=claim))

    def allow(self, agent: AgentHandle, confidence: float) -> None:
        """Write an intent past the guard, and in the log that it was allowed."""
        owner, space = agent.agent, self.guard.space
        allowed = Decision("pre_action", "allow", owner.name, str(owner.id), "a", "intent")
        intent = Intent(scope="a", resource="door", confidence=confidence)
        with space.writing([allowed]) as commit:
            commit.add(space.draft(agent, intent))

    def put(self, mark: AnyMark) -> None:
        """Store a mark without any check."""
        where = position(mark, FORMS[mark.mark_type], mark.agent_id.bytes)
        with self.guard.space.writing() as commit:
            commit.put(mark, where, {}, is_plain=True)

    def answer(self) -> Need:
        """Ask and answer; return the answered need."""
        space = self.guard.space
        need_id = space.write(self.ann, Need(scope="a", question="May I?"))
        action = Action(scope="a", resource="desk", action="answer")
        self.guard.answer(self.system, need_id, action)
        (need,) = (m for _, m in space.history() if isinstance(m, Need) and m.resolved_by)
        return need


@pytest.fixture
def house() -> House:
    """A fresh one, in memory."""
    return house_of(MarkSpace([Scope(name="a")]))


def house_of(space: MarkSpace) -> House:
    rights = {"a": [kind.value for kind in MarkType]}
    ann, bob = (space.enroll(Agent(name=name, scopes=rights)) for name in ("ann", "bob"))
    system = space.enroll(Agent(name="system", scopes=rights), system=True)
    return House(Guard(space), ann, bob, system)


def without_claim(house: House) -> None:
    house.act(house.ann)


def by_the_claim_of_another(house: House) -> None:
    house.act(house.system, house.claim(house.ann, 0.5))


def by_a_claim_that_a_stronger_one_beat(house: House) -> None:
    weak = house.claim(house.ann, 0.4)
    house.claim(house.bob, 0.9)
    house.act(house.ann, weak)


def twice(house: House) -> None:
    house.guard.execute(house.ann, "a", "door", "plan", "do", str)
    house.allow(house.bob, 0.5)
    (intent,) = house.guard.space.get_intents("a", "door")
    house.act(house.bob, intent.id)


def against_the_policy(house: House) -> None:
    house.claim(house.ann, 0.9)
    house.allow(house.bob, 0.1)


def beside_a_running_tool(house: House) -> None:
    house.guard.execute(house.ann, "a", "door", "plan", "do", lambda: house.allow(house.bob, 1.0))


def taken_away(house: House) -> None:
    claim = house.claim(house.ann, 0.5)
    house.guard.space.write(house.system, Observation(scope="a", supersedes=claim))


def doubted_fact(house: House) -> None:
    house.guard.execute(house.ann, "a", "door", "plan", "do", str)
    (fact,) = house.guard.space.read("a", mark_type=MarkType.ACTION)
    house.put(Warning(scope="a", invalidates=fact.id))


def answered_twice(house: House) -> None:
    house.put(house.answer().model_copy(update={"id": uuid4()}))


def answered_by_one_for_two(house: House) -> None:
    need = house.answer()
    other = house.guard.space.write(house.bob, Need(scope="a", question="And I?"))
    house.put(need.model_copy(update={"id": uuid4(), "supersedes": other}))


def never_answered(house: House) -> None:
    house.guard.space.write(house.ann, Need(scope="a", question="May I?"))


BROKEN: list[tuple[Callable[[House], None], str]] = [
    (without_claim, "without a claim"),
    (by_the_claim_of_another, "without a claim"),
    (by_a_claim_that_a_stronger_one_beat, "not the winner"),
    (twice, "two winners"),
    (against_the_policy, "its policy refuses"),
    (beside_a_running_tool, "while a tool ran"),
    (taken_away, "of another"),
    (doubted_fact, "invalidates an action"),
    (answered_twice, "answered twice"),
    (answered_by_one_for_two, "no answer of its own"),
    (never_answered, "left open"),
]


@pytest.mark.parametrize(("broken", "violation"), BROKEN)
def test_a_broken_rule_is_seen(
    broken: Callable[[House], None], violation: str, house: House
) -> None:
    broken(house)
    assert violation in "; ".join(examine(house.guard.space).violations)


def test_where_no_rule_is_broken_nothing_is_seen(house: House) -> None:
    weak = house.claim(house.ann, 0.4)
    house.claim(house.bob, 0.9)
    house.guard.post_action(house.bob, "a", "door", "do", None)
    house.guard.release(weak)
    house.answer()
    findings = examine(house.guard.space)
    assert (findings.winners, findings.violations) == (1, [])


def test_a_changed_log_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "space.db"
    store = SQLiteStore(path)
    house_of(MarkSpace([Scope(name="a")], store=store)).answer()
    store.close()
    with sqlite3.connect(path) as tampering:
        tampering.execute("UPDATE audit SET digest = zeroblob(32) WHERE number = 2")
    tampering.close()
    store = SQLiteStore(path)
    (violation,) = examine(MarkSpace(store=store)).violations
    assert "the audit chain is broken" in violation
    store.close()
