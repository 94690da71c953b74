"""Faults applied to answers and responses."""

from typing import Any, Final

import msgspec

from hyperspace.serve.errors import RequestRefused, overflow
from hyperspace.serve.exchange import Answer
from hyperspace.serve.http import Response
from hyperspace.serve.wires.base import Wire

_DRIPS: Final = 20
_STATUS_SAID: Final = {
    429: "too many requests; slow down",
    500: "the server had an error while it processed the request",
    503: "the service is not available at the moment",
    529: "overloaded",
}
_CONTEXT_TOKENS: Final = 8192
_IN_ANSWERS: Final[dict[str, dict[str, Any]]] = {
    "null_ids": {"null_ids": True},
    "empty": {"empty": True},
    "no_finish": {"finish": None},
}


def refusal_of(fault: str) -> RequestRefused | None:
    """The error status that a fault is; None for faults of another kind."""
    if fault == "overflow":
        return overflow(_CONTEXT_TOKENS + 1, _CONTEXT_TOKENS)
    if not fault.isdecimal():
        return None
    return RequestRefused(int(fault), _STATUS_SAID.get(int(fault), f"status {fault} was asked for"))


def answer_with_fault(fault: str | None, answer: Answer) -> Answer:
    """Apply a fault to the contents of an answer."""
    return answer._replace(**_IN_ANSWERS.get(fault or "", {}))


def response_with_fault(
    fault: str | None, response: Response, wire: Wire, slow_s: float
) -> Response:
    """Apply a fault to how a response is sent."""
    match fault:
        case "cut":
            return response._replace(parts=_first_half(response), ending="cut")
        case "malformed":
            return response._replace(parts=_malformed(response))
        case "stream_error":
            return response._replace(parts=_failed(response, wire))
        case "no_finish" if response.streamed:
            return response._replace(parts=_first_half(response))
        case "slow":
            parts = response.parts
            if not response.streamed:
                body = parts[0]
                size = max(1, -(-len(body) // _DRIPS))
                parts = tuple(body[start : start + size] for start in range(0, len(body), size))
            return response._replace(parts=parts, pause_s=slow_s / len(parts))
        case _:
            return response


def _first_half(response: Response) -> tuple[bytes, ...]:
    """The beginning of a stream; a body stays whole and is cut where it is sent."""
    return response.parts[: len(response.parts) // 2 + 1] if response.streamed else response.parts


def _malformed(response: Response) -> tuple[bytes, ...]:
    """Lose the end of the JSON: of the body, or of an event in the middle of the stream."""
    middle = len(response.parts) // 2
    broken = response.parts[middle][: len(response.parts[middle]) * 2 // 3]
    end = b"\n\n" if response.streamed else b""
    return (*response.parts[:middle], broken + end, *response.parts[middle + 1 :])


def _failed(response: Response, wire: Wire) -> tuple[bytes, ...]:
    error = RequestRefused(529, _STATUS_SAID[529])
    if response.streamed:
        return (*_first_half(response), wire.refusal_frame(error, "req_stream"))
    return (msgspec.json.encode(wire.refusal(error, "req_stream")),)
