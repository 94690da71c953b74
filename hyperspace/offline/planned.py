"""The policy of an offline model, a pure function; and the frame of those that work on code."""

from abc import ABC, abstractmethod
from typing import Protocol

from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.offline import conversation, grader
from hyperspace.offline.conversation import Conversation
from hyperspace.offline.plan import CandidPlan, play
from hyperspace.offline.record import Situation, read_record
from hyperspace.offline.tool_steps import Workspace


class OfflinePolicy(Protocol):
    """A small search policy that answers like a language model.

    Contract: `reply` is pure. It knows only what the request says (messages, tools, seed), keeps
    nothing between calls and draws randomness from the request's seed and text alone, so equal
    requests give equal replies. It raises nothing for odd conversations: a policy that is at a
    loss answers with text. It may be called from several threads.
    """

    def reply(self, request: ChatRequest) -> ChatReply:
        """Answer one request. Usage and cost may be left empty; `OfflineModel` fills them."""
        ...


class PlannedPolicy(ABC):
    """A policy written as a plan; a question that is not about code is answered as `Grader` would.

    Its plan also says what each step is in truth, which stands in no reply.
    """

    def reply(self, request: ChatRequest) -> ChatReply:
        """Answer one request."""
        task = conversation.read(request)
        if task.code_path is None:
            return grader.Grader().reply(request)
        return play(self.plan(Workspace(task.code_path), task), task)

    @abstractmethod
    def plan(self, space: Workspace, task: Conversation) -> CandidPlan:
        """Begin to work on a workspace."""


class GenerationPolicy(PlannedPolicy):
    """A policy that begins each generation by reading the record of its own versions."""

    def plan(self, space: Workspace, task: Conversation) -> CandidPlan:
        """Read the own record, and then behave."""
        record = yield from read_record(space)
        return (yield from self.behave(Situation(space, record, task.seed)))

    @abstractmethod
    def behave(self, scene: Situation) -> CandidPlan:
        """Do what the policy does in this generation."""
