"""Identity of whoever acts. It comes from the infrastructure, never from what an agent says."""

from threading import Lock
from uuid import UUID

from markspace.core.agents import Agent
from markspace.errors import ScopeError

MAX_REMEMBERED = 4096


class AgentHandle:
    """The right to act as one agent, given out by `MarkSpace.enroll`.

    It works by being the very object that was given out: a copy is worthless, and it cannot be
    pickled.
    """

    __slots__ = ("_agent",)

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    @property
    def agent(self) -> Agent:
        """The agent, for its name, id and rights."""
        return self._agent

    def __repr__(self) -> str:
        return f"<AgentHandle {self._agent.name!r}>"

    def __reduce__(self) -> str:
        raise TypeError("an AgentHandle cannot be copied or pickled")


def agent_of(who: Agent | AgentHandle) -> Agent:
    """Return the agent that acts, not yet believed.

    Raises:
        ScopeError: It is neither an agent nor a handle.
    """
    if isinstance(who, AgentHandle):
        return who.agent
    if not isinstance(who, Agent):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ScopeError(
            f"{who!r} is not an agent; pass an Agent, or the handle that space.enroll(agent) gave"
        )
    return who


class Identity:
    """Somebody whose identity was established.

    Attributes:
        agent: Who.
        system: Whether it belongs to the infrastructure.
        id_bytes: The agent's id, as the store has it.
        id_text: The agent's id, as the audit log has it.
    """

    __slots__ = ("agent", "id_bytes", "id_text", "system")

    def __init__(self, agent: Agent, system: bool) -> None:
        self.agent = agent
        self.system = system
        self.id_bytes = agent.id.bytes
        self.id_text = str(agent.id)


class Enrolment:
    """Agents that may act in a space. Open until the first agent is enrolled, then closed.

    An identity is established once for each object that acts, and remembered by that object's
    address for as long as the object is held here and nobody else is enrolled.
    """

    def __init__(self) -> None:
        self._closed = False
        self._lock = Lock()
        self._known: dict[UUID, tuple[AgentHandle, bool]] = {}
        self._established: dict[int, tuple[Agent | AgentHandle, Identity]] = {}

    def enroll(self, agent: Agent, *, system: bool = False) -> AgentHandle:
        """Give out a handle. A later enrolment with the same id replaces the earlier one.

        Args:
            agent: Who may act.
            system: Whether it belongs to the infrastructure: no clamp on strength, no quota.

        Raises:
            ScopeError: It is not an agent.
        """
        agent_of(agent)
        with self._lock:
            self._closed = True
            return self._put(agent, system)

    def _put(self, agent: Agent, system: bool) -> AgentHandle:
        handle = AgentHandle(agent)
        self._known[agent.id] = (handle, system)
        self._established.clear()
        return handle

    def admit(self, agent: Agent) -> AgentHandle:
        """Give a part of the infrastructure its handle without closing the space.

        The same agent gets the same handle again.
        """
        with self._lock:
            enrolled = self._known.get(agent.id)
            if enrolled is not None and enrolled[1]:
                return enrolled[0]
            return self._put(agent, system=True)

    def author(self, who: Agent | AgentHandle) -> Identity:
        """Establish an identity.

        Raises:
            ScopeError: The handle or agent is not the one that was enrolled.
        """
        established = self._established.get(id(who))
        if established is not None and established[0] is who:
            return established[1]
        with self._lock:
            if len(self._established) >= MAX_REMEMBERED:
                self._established.clear()
            author = self._establish(who)
            self._established[id(who)] = (who, author)
            return author

    def _establish(self, who: Agent | AgentHandle) -> Identity:
        agent = agent_of(who)
        enrolled = self._known.get(agent.id)
        if enrolled is not None and (who is enrolled[0] or who is enrolled[0].agent):
            return Identity(agent, enrolled[1])
        if enrolled is not None or self._closed or isinstance(who, AgentHandle):
            raise ScopeError(
                f"{agent.name!r} is not enrolled in this space, or is not the enrolled object "
                "itself; act through the handle that space.enroll(agent) returned"
            )
        return Identity(agent, False)
