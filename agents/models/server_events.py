"""Server-sent events, read to their end; nobody here wants a part of a reply.

The SDKs bring readers of their own. They pass over events that tell of errors, or what comes after
the last event, and leave generators unfinished, which trio does not forgive.
"""

import json
from collections.abc import Iterable, Iterator
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, cast

from agents.models.base import MalformedReply
from agents.models.errors import ModelTarget
from agents.models.normalize import scrub

_DONE: Final = "[DONE]"
_DATA: Final = "data:"


async def events(
    response: AbstractAsyncContextManager[Any], target: ModelTarget
) -> list[dict[str, Any]]:
    """The data of all events of an SDK's streaming response.

    Raises:
        MalformedReply: The answer is not a stream of events whose data are JSON objects.
    """
    async with response as opened:
        lines = [line async for line in opened.iter_lines()]
    contents = [_object(data, target) for data in _data(lines) if not data.startswith(_DONE)]
    if not contents and any(line.startswith("{") for line in lines):
        raise MalformedReply(f"{target} answered with JSON where it was asked to stream")
    return contents


def _data(lines: Iterable[str]) -> Iterator[str]:
    """The data of each event; an empty line ends one."""
    data: list[str] = []
    for line in [*lines, ""]:
        if line.startswith(_DATA):
            data.append(line.removeprefix(_DATA).removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data = []


def _object(data: str, target: ModelTarget) -> dict[str, Any]:
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, dict):
        raise MalformedReply(f"{target} sent an event that is no JSON object")
    return scrub(cast("dict[str, Any]", fields), target)
