"""Leaves out, from the first refusal on, what a model does not take besides the conversation."""

from collections.abc import Awaitable, Callable
from typing import Any

from agents.messages import ChatReply
from agents.models.base import FieldRefused
from agents.models.options import ModelOptions

_PINNABLE = ("temperature", "top_p", "reasoning_effort")


class OptionalFields:
    """Remembers what a model refuses; what a person asked for is never left out.

    A field is remembered with its value, so that an answer depends on nothing but its request.
    """

    def __init__(self, options: ModelOptions) -> None:
        self._pinned = {name for name in _PINNABLE if getattr(options, name) is not None}
        self._refused: set[tuple[str, str]] = set()

    async def ask(
        self, sent: dict[str, Any], ask: Callable[[dict[str, Any]], Awaitable[ChatReply]]
    ) -> ChatReply:
        """Ask with all fields that are not known to be refused, again for each new refusal.

        Raises:
            FieldRefused: A person asked for this field.
            ModelError: Whatever else `ask` raises.
        """
        while True:
            fields = {
                name: value
                for name, value in sent.items()
                if (name, repr(value)) not in self._refused
            }
            try:
                return await ask(fields)
            except FieldRefused as error:
                if error.field not in fields or error.field in self._pinned:
                    raise
                self._refused.add((error.field, repr(fields[error.field])))
