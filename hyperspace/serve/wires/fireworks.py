"""Fireworks on the wire: chat completions with its own errors, and usage in the last chunk."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from hyperspace.serve.errors import RequestRefused
from hyperspace.serve.exchange import Answer
from hyperspace.serve.wires.openai import OpenAIWire, usage

_TYPES: Final = {
    401: "UNAUTHORIZED",
    404: "NOT_FOUND",
    429: "RATE_LIMIT_EXCEEDED",
    503: "SERVICE_UNAVAILABLE",
}


class Fireworks(OpenAIWire):
    """The wire of the fireworks-ai SDK."""

    name = "fireworks"

    def refusal(self, refused: RequestRefused, request_id: str) -> dict[str, Any]:
        """Encode an error."""
        status = refused.status
        usual = "invalid_request_error" if status < 500 else "internal_server_error"
        kind = _TYPES.get(status, usual)
        code = refused.code or kind
        return {
            "error": {"object": "error", "type": kind, "code": code, "message": refused.message}
        }

    def account_models(self, names: Sequence[str]) -> dict[str, Any]:
        """List models as the SDK's `models.list` of an account does."""
        models = [{"name": name, "displayName": name, "state": "READY"} for name in names]
        return {"models": models, "nextPageToken": "", "totalSize": len(models)}

    def _last_chunks(self, head: dict[str, Any], answer: Answer) -> Iterable[dict[str, Any]]:
        """The end of a stream: usage comes unasked, with the finish reason."""
        chunk = next(iter(super()._last_chunks(head, answer)), {**head, "choices": ()})
        yield {**chunk, "usage": usage(answer.usage)}
