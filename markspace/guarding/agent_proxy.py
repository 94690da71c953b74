"""The proxy that an agent holds: the right to act as itself, and no way to anything behind it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID
from weakref import WeakKeyDictionary

from markspace.core.agents import Agent, WatchPattern
from markspace.core.enums import MarkType
from markspace.core.marks import AnyMark, Intent
from markspace.guarding.decisions import GuardDecision, ToolFn


class AgentCalls(NamedTuple):
    """The calls of an `AgentProxy`, bound to one agent."""

    agent: Agent
    write_mark: Callable[[AnyMark], UUID]
    read: Callable[..., list[AnyMark]]
    get_mark: Callable[[UUID], AnyMark | None]
    resolve: Callable[[UUID, UUID], UUID]
    subscribe: Callable[[Iterable[WatchPattern]], None]
    get_watched_marks: Callable[[bool], list[AnyMark]]
    lost_marks: Callable[[], int]
    pre_action: Callable[..., GuardDecision]
    post_action: Callable[..., UUID]
    execute: Callable[..., tuple[GuardDecision, Any]]
    release: Callable[[Intent | UUID], bool]


class AgentProxy:
    """An agent's whole access to a space, given out by `Guard.for_agent`.

    Its identity is bound in; nothing it is called with can change who acts. It has no attribute
    that leads to the guard, the space, the store or a live barrier.
    """

    __slots__ = ("__weakref__",)

    def __init__(self, calls: AgentCalls) -> None:
        CALLS[self] = calls

    @property
    def agent(self) -> Agent:
        """The agent, for its name, id and rights."""
        return CALLS[self].agent

    def write_mark(self, mark: AnyMark) -> UUID:
        """Write an observation, warning or need; raises as `Guard.write_mark` does."""
        return CALLS[self].write_mark(mark)

    def read(
        self,
        scope: str,
        resource: str | None = None,
        topic: str | None = None,
        mark_type: MarkType | None = None,
        min_strength: float = 0.01,
        max_tokens: int | None = None,
    ) -> list[AnyMark]:
        """Return what the agent may see of a scope, strongest first; as `MarkSpace.read`."""
        return CALLS[self].read(
            scope=scope,
            resource=resource,
            topic=topic,
            mark_type=mark_type,
            min_strength=min_strength,
            max_tokens=max_tokens,
        )

    def get_mark(self, mark_id: UUID) -> AnyMark | None:
        """Return a mark as the agent may see it, or None."""
        return CALLS[self].get_mark(mark_id)

    def resolve(self, need_mark_id: UUID, resolving_action_id: UUID) -> UUID:
        """Answer a need by an own action in its scope; as `MarkSpace.resolve`."""
        return CALLS[self].resolve(need_mark_id, resolving_action_id)

    def subscribe(self, patterns: Iterable[WatchPattern]) -> None:
        """Replace what the agent hears of; as `MarkSpace.subscribe`."""
        CALLS[self].subscribe(patterns)

    def get_watched_marks(self, clear: bool = True) -> list[AnyMark]:
        """Return the marks that the agent waits for; as `MarkSpace.get_watched_marks`."""
        return CALLS[self].get_watched_marks(clear)

    def lost_marks(self) -> int:
        """Return how many marks the agent fetched too late to get; as `MarkSpace.lost_marks`."""
        return CALLS[self].lost_marks()

    def pre_action(
        self, scope: str, resource: str, action: str, confidence: float = 0.5
    ) -> GuardDecision:
        """Declare a claim on a resource; as `Guard.pre_action`."""
        return CALLS[self].pre_action(scope, resource, action, confidence)

    def post_action(
        self, scope: str, resource: str, action: str, result: Any, intent_id: UUID | None = None
    ) -> UUID:
        """Write what was done under a claim; as `Guard.post_action`."""
        return CALLS[self].post_action(scope, resource, action, result, intent_id)

    def execute(
        self,
        scope: str,
        resource: str,
        intent_action: str,
        result_action: str,
        tool_fn: ToolFn,
        confidence: float = 0.5,
        tool_args: Sequence[Any] = (),
        tool_kwargs: Mapping[str, Any] | None = None,
    ) -> tuple[GuardDecision, Any]:
        """Run a tool if the claim is allowed; as `Guard.execute`."""
        verbs = (intent_action, result_action)
        rest = (tool_fn, confidence, tool_args, tool_kwargs)
        return CALLS[self].execute(scope, resource, *verbs, *rest)

    def release(self, intent: Intent | UUID) -> bool:
        """Withdraw an own claim that does not run; False if there is none."""
        return CALLS[self].release(intent)


# Beside the proxies, not in them: an attribute would lead an agent to the guard.
CALLS: WeakKeyDictionary[AgentProxy, AgentCalls] = WeakKeyDictionary()
