"""Content policies: they look at what an agent writes and allow, rewrite, flag or reject it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar, NamedTuple, cast

import msgspec

from markspace.core.agents import Agent
from markspace.core.marks import AnyMark, Observation
from markspace.core.scopes import Scope
from markspace.errors import ContentPolicyError
from markspace.telemetry import Emitter

POLICY_OPERATION = "content_policy"
TEXT_FIELDS = ("content", "reason", "question", "context", "result", "topic")


class PolicyVerdict(StrEnum):
    """The verdict of a policy."""

    ALLOW = "allow"
    REWRITE = "rewrite"
    REJECT = "reject"
    FLAG = "flag"


@dataclass
class PolicyResult:
    """A policy's verdict.

    Attributes:
        verdict: What it says.
        content: On REWRITE the new content of an observation; for other marks a dict from field
            to new value.
        reason: Why, on REJECT and FLAG.
        metadata: Anything else.
    """

    verdict: PolicyVerdict
    content: Any = None
    reason: str | None = None
    metadata: dict[str, Any] | None = None


class ContentPolicy(ABC):
    """Looks at marks before they are stored.

    Attributes:
        inspects: Fields that the policy asks for, out of `TEXT_FIELDS`. A mark that has none of
            them passes unseen. By default observations only.
    """

    inspects: ClassVar[tuple[str, ...]] = ("content",)

    @abstractmethod
    def evaluate(self, agent: Agent, mark: AnyMark, scope: Scope) -> PolicyResult:
        """Judge a mark. Raising counts as REJECT."""

    @property
    def name(self) -> str:
        """The name in telemetry and messages."""
        return type(self).__name__


class PassedMark(NamedTuple):
    """A mark that no policy rejected, and why some flagged it."""

    mark: AnyMark
    flags: tuple[str, ...]


class Policies:
    """A pipeline of policies: a rewrite feeds the next, the first reject stops.

    Args:
        policies: In order.
        emitter: Gets one event for each evaluation.

    Attributes:
        are_there: Whether there is any.
    """

    def __init__(self, policies: Sequence[ContentPolicy], emitter: Emitter) -> None:
        self._policies = tuple(policies)
        self.are_there = bool(policies)
        self._emitter = emitter

    def judge(self, agent: Agent, mark: AnyMark, scope: Scope, trace_id: str = "") -> PassedMark:
        """Run the pipeline.

        Raises:
            ContentPolicyError: A policy rejected the mark or failed.
        """
        flags: list[str] = []
        for policy in self._policies:
            if not any(hasattr(mark, field) for field in policy.inspects):
                continue
            result = evaluated(policy, agent, mark, scope)
            self._emitter.event(
                agent_id=str(agent.id),
                operation=POLICY_OPERATION,
                scope=scope.name,
                mark_type=mark.mark_type.value,
                verdict=PolicyVerdict(result.verdict).value,
                reason=result.reason or "",
                extra={"policy": policy.name},
                trace_id=trace_id,
            )
            if result.verdict == PolicyVerdict.REJECT:
                raise ContentPolicyError(result.reason or f"Rejected by {policy.name}")
            if result.verdict == PolicyVerdict.FLAG:
                flags.append(result.reason or f"Flagged by {policy.name}")
            if result.verdict == PolicyVerdict.REWRITE:
                mark = rewritten(policy, mark, result.content)
        return PassedMark(mark, tuple(flags))


def evaluated(policy: ContentPolicy, agent: Agent, mark: AnyMark, scope: Scope) -> PolicyResult:
    """Return a policy's result; one that raises rejects."""
    try:
        return policy.evaluate(agent, mark, scope)
    except Exception as error:  # a policy is foreign code; if it cannot judge, nothing passes
        reason = f"content policy {policy.name} failed: {type(error).__name__}: {error}"
        return PolicyResult(PolicyVerdict.REJECT, reason=reason)


def rewritten(policy: ContentPolicy, mark: AnyMark, content: Any) -> AnyMark:
    """Return the mark with what the policy may change replaced.

    Raises:
        ContentPolicyError: It tried to change a field that it does not inspect.
    """
    if isinstance(mark, Observation) and policy.inspects == ContentPolicy.inspects:
        return msgspec.structs.replace(mark, content=content)
    is_dict = isinstance(content, dict)
    changes = cast("dict[str, Any]", content) if is_dict else {"content": content}
    if not all(field in policy.inspects and hasattr(mark, field) for field in changes):
        raise ContentPolicyError(
            f"content policy {policy.name} rewrote a field it does not inspect"
        )
    return msgspec.structs.replace(mark, **changes)
