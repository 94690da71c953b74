"""Who plays where: sectors of agents, each under its own rules, all below one scope."""

import random
from typing import Final, NamedTuple
from uuid import NAMESPACE_URL, UUID, uuid5

import msgspec

from markspace import Agent, ConflictPolicy, MarkType, Need, Scope, ScopeVisibility

ROOT: Final = "field"
RIVALS: Final = 5
"""Agents that want the same resource in a round, on average."""
RULES: Final = (
    (ConflictPolicy.HIGHEST_CONFIDENCE, False),
    (ConflictPolicy.FIRST_WRITER, False),
    (ConflictPolicy.YIELD_ALL, False),
    (ConflictPolicy.HIGHEST_CONFIDENCE, True),
)
"""Of sectors in turn: the conflict policy, and whether claims wait for a boundary."""


class World(NamedTuple):
    """What is played. Equal worlds have equal scripts.

    Attributes:
        agents: How many.
        rounds: In each, every agent has one turn.
        seed: Of the script.
        crowd: Agents that share a sector. A larger world has more sectors, not larger ones.
    """

    agents: int = 1050
    rounds: int = 3
    seed: int = 0
    crowd: int = 50

    def scopes(self) -> list[Scope]:
        """Return the definition of every scope."""
        visibilities, scopes = tuple(ScopeVisibility), [Scope(name=ROOT)]
        for number in range(0, self.agents, self.crowd):
            policy, deferred = self._rules(number)
            visibility = visibilities[number // self.crowd % len(visibilities)]
            name = self.sector(number)
            scopes.append(
                Scope(name=name, conflict_policy=policy, deferred=deferred, visibility=visibility)
            )
        return scopes

    def agent(self, number: int) -> Agent:
        """Return an agent; it may write and read everything in its own sector."""
        scope, name = self.sector(number), f"agent{number}"
        rights = {scope: [kind.value for kind in MarkType]}
        own_id = uuid5(NAMESPACE_URL, f"stress:{name}")
        return Agent(name=name, id=own_id, scopes=rights, read_scopes=frozenset({scope}))

    def sector(self, number: int) -> str:
        """Return the scope in which an agent acts."""
        return f"{ROOT}/{number // self.crowd}"

    @property
    def topics(self) -> int:
        """How many resources a sector contests in a round, and topics it writes about."""
        return max(self.crowd // RIVALS, 1)

    def is_deferred(self, number: int) -> bool:
        """Return whether an agent's claims wait for a boundary."""
        return self._rules(number)[1]

    def decides_at_once(self, number: int) -> bool:
        """Return whether an agent's claims are decided by the guard, at once."""
        policy, deferred = self._rules(number)
        return not deferred and policy is not ConflictPolicy.YIELD_ALL

    def draw(self, number: int, turn: int) -> random.Random:
        """Return the random numbers of one agent's turn."""
        return random.Random(f"{self.seed}/{number}/{turn}")

    def _rules(self, number: int) -> tuple[ConflictPolicy, bool]:
        return RULES[number // self.crowd % len(RULES)]


class Wish(msgspec.Struct, frozen=True):
    """What the guard asks the principal where all yield: the context of such a need.

    Attributes:
        resource: What is wanted.
        action: What for.
        agent: Who wants it.
    """

    resource: str
    action: str
    agent: UUID


def contested(need: Need) -> Wish | None:
    """Return which claim a need is about, or None for a question of an agent's own."""
    return None if need.context is None else msgspec.convert(need.context, Wish)
