"""Which request gets what: wires by path, models, counts, and answers to conversations."""

import hashlib
import logging
import re
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote

import h11

from hyperspace.serve.behaviour import Behaviour
from hyperspace.serve.completing import Completing, id_of_body, json_response, refusal_response
from hyperspace.serve.counting import prompt_tokens
from hyperspace.serve.errors import RequestRefused
from hyperspace.serve.http import HttpConnection, RequestHead, Response
from hyperspace.serve.origin import check_host, check_site
from hyperspace.serve.policies import ServedPolicies
from hyperspace.serve.stats import Stats
from hyperspace.serve.wires.anthropic import Messages
from hyperspace.serve.wires.anthropic_request import read_for_count
from hyperspace.serve.wires.base import Wire
from hyperspace.serve.wires.fireworks import Fireworks
from hyperspace.serve.wires.openai import OpenAIWire
from hyperspace.serve.wires.responses import Responses

OPENAI: Final = OpenAIWire()
RESPONSES: Final = Responses()
ANTHROPIC: Final = Messages()
FIREWORKS: Final = Fireworks()
_FIREWORKS_PREFIX: Final = "/inference"
EXIST: Final = (
    "POST /v1/chat/completions, /v1/responses, /inference/v1/chat/completions, /v1/messages, "
    "/v1/messages/count_tokens, and GET /v1/models, /inference/v1/models, /stats"
)
NO_KEY: Final = "none"
_HEX_DIGITS: Final = 12
_LOG: Final = logging.getLogger(__name__)
_CONVERSATIONS: Final = ("/v1/chat/completions", "/v1/responses", "/v1/messages")
_ACCOUNT_MODELS: Final = re.compile(r"/v1/accounts/[^/]+/models")


def wire_of(head: RequestHead) -> Wire:
    """The wire that a request is answered on, in errors, too."""
    path = endpoint_of(head)
    if path.startswith("/v1/messages") or "anthropic-version" in head.headers:
        return ANTHROPIC
    # Given another base URL, its SDK leaves the prefix out; its name is what is left to see.
    is_fireworks_sdk = "Fireworks/" in head.headers.get("user-agent", "")
    if path != head.path or is_fireworks_sdk or head.path.startswith("/v1/accounts/"):
        return FIREWORKS
    return RESPONSES if path.startswith("/v1/responses") else OPENAI


def endpoint_of(head: RequestHead) -> str:
    """The path, without the prefix that Fireworks puts before it."""
    inner = head.path.removeprefix(_FIREWORKS_PREFIX)
    return inner if inner.startswith("/v1/") else head.path


def key_hash(headers: Mapping[str, str]) -> str:
    """Name the key of a request: the first digits of its SHA-256, or `none`; any key will do."""
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    key = headers.get("x-api-key", "") or (bearer.strip() if scheme.lower() == "bearer" else "")
    return hashlib.sha256(key.encode()).hexdigest()[:_HEX_DIGITS] if key else NO_KEY


class Answering:
    """Answers whatever is asked, errors in the shape of the wire that they are about."""

    def __init__(self, policies: ServedPolicies, behaviour: Behaviour, stats: Stats) -> None:
        self._policies = policies
        self._behaviour = behaviour
        self._stats = stats
        self._completing = Completing(policies, behaviour, stats)

    async def answer(
        self, connection: HttpConnection, head: RequestHead, ours: frozenset[str]
    ) -> Response:
        """Read the rest of a request and answer it.

        Args:
            connection: Where the rest comes from.
            head: Its head.
            ours: What it may have been sent to, see `hyperspace.serve.origin`.
        """
        body = b""
        try:
            check_host(head.headers, ours)
            check_site(head.headers, ours)
            body = await connection.body(head)
            response = await self._routed(head, body)
        except RequestRefused as refused:
            self._stats.refused(refused.status)
            response = refusal_response(wire_of(head), refused, id_of_body(body))
        return response._replace(parts=(b"",)) if head.method == "HEAD" else response

    async def complain(self, connection: HttpConnection, error: h11.RemoteProtocolError) -> None:
        """Answer what is no HTTP as well as it can be answered."""
        refused = RequestRefused(error.error_status_hint, f"this is no HTTP request: {error}")
        self._stats.refused(refused.status)
        if connection.can_answer:
            await connection.send(refusal_response(OPENAI, refused, ""))

    async def _routed(self, head: RequestHead, body: bytes) -> Response:
        try:
            return await self._posted(head, body) if head.method == "POST" else self._got(head)
        except RequestRefused:
            raise
        except Exception as error:  # a defect of ours: this client is told, others are served
            _LOG.exception("no answer to %s %s", head.method, head.path)
            raise RequestRefused(500, f"the server failed: {type(error).__name__}") from error

    async def _posted(self, head: RequestHead, body: bytes) -> Response:
        path, key = endpoint_of(head), self._key(head)
        if path in _CONVERSATIONS:
            return await self._completing.respond(wire_of(head), body, key)
        if path == "/v1/messages/count_tokens":
            messages = read_for_count(body).chat.messages
            return json_response(200, {"input_tokens": prompt_tokens(messages)})
        raise _no_such_path(head)

    def _got(self, head: RequestHead) -> Response:
        if head.method != "GET":
            raise RequestRefused(405, f"{head.method} is not answered; there are {EXIST}")
        if head.path == "/stats":
            return json_response(200, self._stats.snapshot())
        self._key(head)
        return self._models(head)

    def _models(self, head: RequestHead) -> Response:
        names, wire, path = self._policies.names(), wire_of(head), endpoint_of(head)
        if path == "/v1/models":
            return json_response(200, wire.model_list(names))
        if _ACCOUNT_MODELS.fullmatch(path):
            return json_response(200, FIREWORKS.account_models(names))
        name = unquote(path.removeprefix("/v1/models/"))
        if name in names:
            return json_response(200, wire.model(name))
        raise _no_such_path(head)

    def _key(self, head: RequestHead) -> str:
        """Name the key that came with a request.

        Raises:
            RequestRefused: There is none, and one is required.
        """
        key = key_hash(head.headers)
        if key == NO_KEY and self._behaviour.require_key:
            raise RequestRefused(401, "no API key came with the request; any key will do")
        return key


def _no_such_path(head: RequestHead) -> RequestRefused:
    return RequestRefused(404, f"nothing is at {head.path}; there are {EXIST}")
