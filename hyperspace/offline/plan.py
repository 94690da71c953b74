"""How a policy is written: as a plan, a generator that asks for tool calls and gets results.

A policy keeps nothing between calls. For each request its plan is started anew and fed the results
that the conversation already holds; what it asks for next is the reply. So a plan reads like a
program, and the reply is a pure function of the request.
"""

import json
from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple

from hyperspace.messages import ChatReply, ToolCall
from hyperspace.offline.conversation import Conversation
from hyperspace.offline.true_action import TrueAction


class PlanStep(NamedTuple):
    """One turn of a plan: something to say, and one tool call.

    Attributes:
        say: Visible text of the turn.
        tool: Name of the tool.
        arguments: Its arguments.
        action: What this turn is in truth; None for ordinary work. It is never part of a reply.
    """

    say: str
    tool: str
    arguments: Mapping[str, object]
    action: TrueAction | None = None


class Done(NamedTuple):
    """The end of a plan.

    Attributes:
        words: The closing words.
        action: What the turn came to in truth.
    """

    words: str
    action: TrueAction


Plan = Generator[PlanStep, str, str]
"""Yields steps, is sent their results, returns its closing words."""

CandidPlan = Generator[PlanStep, str, str | Done]
"""A plan that may say at its end what it came to in truth."""


def play(plan: CandidPlan, conversation: Conversation) -> ChatReply:
    """Feed a plan the results so far and reply with what it does next."""
    outcome = advance(plan, conversation.results)
    if isinstance(outcome, Done):
        return ChatReply(text=_sayable(outcome.words))
    if outcome.tool not in conversation.tools:
        offered = ", ".join(sorted(conversation.tools)) or "none"
        return ChatReply(text=f"I need the tool {outcome.tool}; on offer: {offered}.")
    call = ToolCall(
        f"call_{len(conversation.results)}", outcome.tool, json.dumps(outcome.arguments)
    )
    return ChatReply(text=_sayable(outcome.say), tool_calls=(call,), finish="tool_calls")


def advance(plan: CandidPlan, results: Sequence[str]) -> PlanStep | Done:
    """Feed a plan the results so far and return what it does next."""
    try:
        step = next(plan)
        for result in results:
            step = plan.send(result)
    except StopIteration as end:
        return (
            end.value
            if isinstance(end.value, Done)
            else Done(str(end.value), TrueAction("finish", str(end.value)))
        )
    except Exception as error:  # results come from code that nobody trusts: say so, raise nothing
        kind = type(error).__name__
        return undone(f"I can make no sense of what I was shown ({kind}); I stop here.")
    return step


def undone(words: str) -> Done:
    """The end of a plan that could not carry out what it began."""
    return Done(words, TrueAction("undone", words))


def _sayable(text: str) -> str:
    """Text that can be written down: results may hold halves of surrogate pairs."""
    return text.encode("utf-8", "replace").decode()
