"""A space with scope "a", its guard, and agents that may do everything in it."""

from typing import Any
from uuid import UUID

from markspace import Agent, EnvelopeVerdict, Guard, InMemorySink, MarkSpace, MarkType, Scope
from markspace.stores.base import Store

ALL = [kind.value for kind in MarkType]
TOKEN = UUID(int=42)


class House:
    """A space with its guard and what the guard reports."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.sink = InMemorySink()
        self.ann = self.agent("ann")
        self.bob = self.agent("bob")
        self.token = TOKEN
        self.open(Scope(name="a"))

    def open(self, *scopes: Scope, envelope: Any = None, policies: Any = None) -> None:
        """Make the space and guard anew over the same store."""
        self.space = MarkSpace(scopes, clock=100.0, store=self.store)
        self.guard = Guard(
            self.space,
            envelope=envelope,
            principal_token=TOKEN,
            telemetry=self.sink,
            content_policies=policies,
        )

    def agent(self, name: str, *scopes: str, **options: Any) -> Agent:
        """An agent that may write everything in scopes, by default in "a"."""
        return Agent(name=name, scopes=dict.fromkeys(scopes or ("a",), ALL), **options)


class FixedEnvelope:
    """An envelope that says what it is told, and keeps the attempts it hears of."""

    def __init__(self, **verdicts: str) -> None:
        self.verdicts = verdicts
        self.attempts: list[Any] = []

    def add_exempt_agent(self, agent_id: Any) -> None:
        """Ignore it."""

    def record(self, agent_id: Any, mark: Any) -> None:
        """Ignore it."""

    def record_attempt(self, agent_id: Any, mark_type: Any) -> None:
        """Keep it."""
        self.attempts.append((agent_id, mark_type))

    def check(self, agent_id: Any) -> EnvelopeVerdict:
        """Say what was told."""
        return EnvelopeVerdict(self.verdicts.get(str(agent_id), "normal"))
