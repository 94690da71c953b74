"""One agent of the simulation: it follows a script, through what the guard lets an agent hold."""

from uuid import UUID

from benchmarks.stress.timing import Stopwatch
from benchmarks.stress.world import World
from markspace import GuardVerdict, MarkType, Need, Observation, WatchPattern
from markspace import Warning as Doubt
from markspace.errors import ClaimError
from markspace.guarding.agent_proxy import AgentProxy

TOKENS = 2000
"""The most that an agent reads of a topic."""
NOTE = "x" * 120
AWAY, DOUBT, QUESTION, FAULT, AT_ONCE = 0.25, 0.2, 0.1, 0.05, 0.5
"""Shares of turns that look at another sector, warn, ask; of tools that fail; of claims that act
at once where the scope decides at once."""


class ToolFault(Exception):
    """A tool of the simulation failed, as the script says."""


class Player:
    """Plays one agent.

    Args:
        world: What is played.
        number: The agent's.
        door: What it may do.
        clocked: Notes how long that takes.

    Attributes:
        scope: Where it acts.
        resource: What it wants in this round.
        verdict: What the guard said of its claim; None where nothing is left to do about it.
    """

    def __init__(self, world: World, number: int, door: AgentProxy, clocked: Stopwatch) -> None:
        self._world, self._number, self._door, self._clocked = world, number, door, clocked
        self.scope = world.sector(number)
        self.resource = ""
        self.verdict: GuardVerdict | None = None
        self._topic = f"load/{number % world.topics}"
        self._written: dict[MarkType, UUID] = {}
        self._claim: UUID | None = None
        door.subscribe([WatchPattern(scope=self.scope, topic=self._topic)])

    def declare(self, turn: int) -> None:
        """Look, claim a resource or act on it at once, and write what it believes."""
        draw, clocked, door = self._world.draw(self._number, turn), self._clocked, self._door
        neighbour = self._world.sector((self._number + self._world.crowd) % self._world.agents)
        where = neighbour if draw.random() < AWAY else self.scope
        seen = clocked("look", door.read, where, topic=self._topic, max_tokens=TOKENS)
        clocked("fetch", door.get_watched_marks)
        self.resource = f"{turn}/{draw.randrange(self._world.topics)}"
        clocked("look at rivals", door.read, self.scope, self.resource)
        at_once, confidence = draw.random() < AT_ONCE, draw.random()
        if at_once and self._world.decides_at_once(self._number):
            self._execute(confidence, draw.random() < FAULT)
        else:
            self._declare(confidence)
        self._write(Observation(scope=self.scope, topic=self._topic, content=NOTE))
        others = [m for m in seen if isinstance(m, Observation) and m.agent_id != door.agent.id]
        if draw.random() < DOUBT and where == self.scope and others:
            doubted = draw.choice(others).id
            self._write(Doubt(scope=self.scope, topic=self._topic, invalidates=doubted))
        if draw.random() < QUESTION:
            need = Need(scope=self.scope, question="Which way?", priority=draw.random())
            clocked("ask", door.write_mark, need)

    def act(self) -> None:
        """Act under the claim of this round if it holds, and give it up if it does not."""
        if self.verdict is GuardVerdict.BLOCKED and not self._world.is_deferred(self._number):
            self._declare(0.5)  # the principal may have chosen this agent
        if self.verdict in (GuardVerdict.ALLOW, GuardVerdict.BLOCKED):
            try:
                self._clocked("act", self._door.post_action, self.scope, self.resource, "do", NOTE)
                self._claim = None
            except ClaimError:
                self._clocked.refused["act"] += 1
        if self._claim is not None:
            self._clocked("release", self._door.release, self._claim)
        self.verdict = self._claim = None

    def _declare(self, confidence: float) -> None:
        decision = self._clocked(
            "claim", self._door.pre_action, self.scope, self.resource, "plan", confidence
        )
        self.verdict, self._claim = decision.verdict, decision.intent_id or self._claim
        self._clocked.refused["claim"] += decision.verdict is not GuardVerdict.ALLOW

    def _execute(self, confidence: float, fails: bool) -> None:
        tool = _fault if fails else str
        rest = (self.scope, self.resource, "plan", "do", tool, confidence)
        try:
            decision, _ = self._clocked("execute", self._door.execute, *rest)
        except ToolFault:
            return
        if decision.verdict is not GuardVerdict.ALLOW:
            self.verdict, self._claim = decision.verdict, decision.intent_id
            self._clocked.refused["execute"] += 1

    def _write(self, mark: Observation | Doubt) -> None:
        """Write a mark in place of the agent's last one of that type."""
        earlier = self._written.get(mark.mark_type)
        newer = mark.model_copy(update={"supersedes": earlier})
        kind = "observe" if isinstance(mark, Observation) else "warn"
        self._written[mark.mark_type] = self._clocked(kind, self._door.write_mark, newer)


def _fault() -> None:
    raise ToolFault
