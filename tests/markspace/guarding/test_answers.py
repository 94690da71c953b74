"""Answers of the principal: one commit with the need that they resolve, and nobody else's."""

from uuid import uuid4

import pytest

from markspace import Action, Agent, Guard, MarkSpace, MarkType, Need, Scope, ScopeError
from markspace.errors import ValidationError
from markspace.keeping.identity import AgentHandle
from markspace.stores.base import Store


class Asked:
    """A space with a need of an agent in it."""

    def __init__(self, store: Store) -> None:
        self.space = MarkSpace([Scope(name="needs")], clock=0.0, store=store)
        self.guard = Guard(self.space)
        asker = Agent(name="asker", scopes={"needs": [MarkType.NEED.value]})
        principal = Agent(name="_principal", scopes={"needs": [MarkType.ACTION.value]})
        self.asker = self.space.enroll(asker)
        self.principal = self.space.enroll(principal, system=True)
        self.need = self.guard.write_mark(self.asker, Need(scope="needs", question="which?"))

    def answer(self, who: AgentHandle) -> None:
        action = Action(scope="needs", resource=f"need/{self.need}", action="answer", result="this")
        self.guard.answer(who, self.need, action)


def test_an_answer_and_its_need_are_one_commit(store: Store) -> None:
    asked = Asked(store)
    before = len(list(asked.space.audit()))
    asked.answer(asked.principal)
    assert len(list(asked.space.audit())) == before + 1
    assert asked.space.aggregate_needs() == []
    (action,) = asked.space.read("needs", mark_type=MarkType.ACTION)
    (need,) = asked.space.read("needs", mark_type=MarkType.NEED, min_strength=0.0)
    assert isinstance(need, Need)
    assert need.resolved_by == action.id
    assert need.resolved_by_agent == asked.principal.agent.id
    assert asked.space.verify().ok


def test_a_need_is_answered_once_and_a_second_answer_leaves_nothing(store: Store) -> None:
    asked = Asked(store)
    asked.answer(asked.principal)
    head = asked.space.head()
    with pytest.raises(ValidationError, match="before"):
        asked.answer(asked.principal)
    assert asked.space.head() == head


def test_an_answer_to_nothing_leaves_nothing(store: Store) -> None:
    asked = Asked(store)
    head = asked.space.head()
    with pytest.raises(ValidationError):
        asked.guard.answer(asked.principal, uuid4(), Action(scope="needs", resource="x"))
    assert asked.space.head() == head


def test_who_asks_cannot_answer(store: Store) -> None:
    asked = Asked(store)
    with pytest.raises(ScopeError, match="not a system agent"):
        asked.answer(asked.asker)
    proxy = asked.guard.for_agent(asked.asker)
    with pytest.raises(ValueError, match="Cannot write action"):
        proxy.write_mark(Action(scope="needs", resource="need", action="answer"))
    assert [entry.kind for entry in asked.space.audit()][-1] == "refusal"
    assert len(asked.space.aggregate_needs()) == 1
