"""How a policy is written: as a plan, a generator that asks for tool calls and gets results.

A policy keeps nothing between calls. For each request its plan is started anew and fed the results
that the conversation already holds; what it asks for next is the reply. So a plan reads like a
program, and the reply is a pure function of the request.
"""

import json
from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple

from agents.messages import ChatReply, ToolCall
from agents.offline.conversation import Conversation


class Step(NamedTuple):
    """One turn of a plan: something to say, and one tool call.

    Attributes:
        say: Visible text of the turn.
        tool: Name of the tool.
        arguments: Its arguments.
    """

    say: str
    tool: str
    arguments: Mapping[str, object]


Plan = Generator[Step, str, str]
"""Yields steps, is sent their results, returns its closing words."""


def play(plan: Plan, conversation: Conversation) -> ChatReply:
    """Feed a plan the results so far and reply with what it does next."""
    outcome = _advance(plan, conversation.results)
    if isinstance(outcome, str):
        return ChatReply(text=outcome)
    if outcome.tool not in conversation.tools:
        offered = ", ".join(sorted(conversation.tools)) or "none"
        return ChatReply(text=f"I need the tool {outcome.tool}; on offer: {offered}.")
    call = ToolCall(
        f"call_{len(conversation.results)}", outcome.tool, json.dumps(outcome.arguments)
    )
    return ChatReply(text=outcome.say, tool_calls=(call,), finish="tool_calls")


def _advance(plan: Plan, results: Sequence[str]) -> Step | str:
    try:
        step = next(plan)
        for result in results:
            step = plan.send(result)
    except StopIteration as end:
        return str(end.value)
    except Exception as error:  # results come from code that nobody trusts: say so, raise nothing
        return f"I can make no sense of what I was shown ({type(error).__name__}); I stop here."
    return step
