"""From one request for an answer to the response that is sent, faults and latency included."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, NamedTuple

import anyio
import anyio.to_thread
import msgspec

from hyperspace.lookup.offline import offline_reply
from hyperspace.messages import ChatReply, Usage, request_sha256, shared_seed
from hyperspace.models.base import BadRequest, UnknownModel
from hyperspace.offline.planned import OfflinePolicy
from hyperspace.serve.behaviour import Behaviour
from hyperspace.serve.counting import count, shaped
from hyperspace.serve.errors import RequestRefused
from hyperspace.serve.exchange import Answer, ParsedRequest
from hyperspace.serve.fault_injection import answer_with_fault, refusal_of, response_with_fault
from hyperspace.serve.faults import COMPLETED
from hyperspace.serve.http import DeliveryHook, Response
from hyperspace.serve.policies import ServedPolicies
from hyperspace.serve.stats import Stats, Who
from hyperspace.serve.wires.base import Wire

REMEMBERED: Final = 100_000
_JSON: Final = ("content-type", "application/json")
_EVENTS: Final = ("content-type", "text/event-stream; charset=utf-8")
THREADS: Final = 4


class RequestKey(NamedTuple):
    """The key by which two tries are the same request.

    Attributes:
        key: Hash of the key that it was sent with: other keys are other clients.
        digest: Hash of the canonical request.
    """

    key: str
    digest: str


class Attempts:
    """Counts tries; forgets a request that was answered, and the oldest of too many."""

    def __init__(self) -> None:
        self._tries: OrderedDict[RequestKey, int] = OrderedDict()

    def begin(self, request: RequestKey) -> int:
        """Count a try; the first one since the last answer is 0."""
        attempt = self._tries.get(request, 0)
        self._tries[request] = attempt + 1
        if len(self._tries) > REMEMBERED:
            self._tries.popitem(last=False)
        return attempt

    def answered(self, request: RequestKey) -> None:
        """Forget a request's tries."""
        self._tries.pop(request, None)


@dataclass
class SpoiledReply(DeliveryHook):
    """A reply that a fault has spoiled: it is not completed, however it fares."""

    stats: Stats

    def cut(self) -> None:
        """Count it as cut."""
        self.stats.cut()


@dataclass
class CompleteReply(SpoiledReply):
    """A reply that counts as completed, unless it is cut.

    It is counted just before its last bytes go out, so that whoever has the reply finds it counted.
    """

    who: Who
    usage: Usage
    forget_tries: Callable[[], None]
    is_counted: bool = False

    def last(self) -> None:
        """Count it."""
        self.is_counted = True
        self.stats.completed(self.who, self.usage)
        self.forget_tries()

    def cut(self) -> None:
        """Take it back."""
        super().cut()
        if self.is_counted:
            self.stats.completed(self.who, self.usage, -1)


class _Try(NamedTuple):
    """One try of one request."""

    request: ParsedRequest
    wire: Wire
    who: Who
    request_key: RequestKey
    attempt: int
    fault: str | None

    @property
    def id(self) -> str:
        return f"req_{self.request_key.digest[:16]}_{self.attempt}"


class Completing:
    """Answers requests, and counts them."""

    def __init__(self, policies: ServedPolicies, behaviour: Behaviour, stats: Stats) -> None:
        self._policies = policies
        self._behaviour = behaviour
        self._stats = stats
        self._attempts = Attempts()
        self._threads = anyio.CapacityLimiter(THREADS)

    async def respond(self, wire: Wire, body: bytes, key: str) -> Response:
        """Answer one request.

        Raises:
            RequestRefused: It is malformed, or asks for a model that is not there.
        """
        arrived_s = anyio.current_time()
        request = wire.read(body)
        who = Who(request.chat.model, key, wire.name)
        self._stats.asked(who)
        try:
            policy = self._policies.find(request.chat.model)
        except UnknownModel as error:
            raise RequestRefused(404, str(error), "model_not_found") from None
        this = self._begin(request, wire, who)
        wait_s = self._behaviour.latency.of(
            self._behaviour.seed, this.request_key.digest, this.attempt
        )
        response = await self._response(this, policy)
        await anyio.sleep_until(arrived_s + wait_s)  # finding the answer took a part of it
        return response

    def _begin(self, request: ParsedRequest, wire: Wire, who: Who) -> _Try:
        key = RequestKey(who.key, request_sha256(request.chat))
        attempt = self._attempts.begin(key)
        fault = self._behaviour.faults.choose(who.model, key.digest, attempt)
        if fault is not None:
            self._stats.fault(fault)
        return _Try(request, wire, who, key, attempt, fault)

    async def _response(self, this: _Try, policy: OfflinePolicy) -> Response:
        if this.fault == "hang":
            return Response(200, (), (), ending="never")
        refused = refusal_of(this.fault) if this.fault else None
        if refused is not None:
            return self._refusal(this, refused)
        reply = await anyio.to_thread.run_sync(
            _think, policy, this.request, abandon_on_cancel=True, limiter=self._threads
        )
        return self._said(this, reply)

    def _refusal(self, this: _Try, refused: RequestRefused) -> Response:
        response = refusal_response(this.wire, refused, this.id)
        if refused.status != 429:
            return response
        pause = ("retry-after", f"{self._behaviour.retry_after_s:g}")
        return response._replace(headers=(*response.headers, pause))

    def _said(self, this: _Try, reply: ChatReply) -> Response:
        usage = count(this.request, reply)
        answer = Answer(this.request, reply, usage, this.request_key.digest, reply.finish)
        answer = answer_with_fault(this.fault, answer)
        if this.request.stream:
            frames = tuple(this.wire.frames(answer))
            response = Response(200, (_EVENTS, *id_headers(this.id)), frames, streamed=True)
        else:
            response = json_response(200, this.wire.whole(answer), this.id)
        response = response_with_fault(this.fault, response, this.wire, self._behaviour.slow_s)
        if this.fault not in (None, *COMPLETED):
            return response._replace(on_delivery=SpoiledReply(self._stats))
        forget = partial(self._attempts.answered, this.request_key)
        counted = CompleteReply(self._stats, this.who, usage, forget)
        return response._replace(on_delivery=counted)


def json_response(status: int, body: object, request_id: str = "") -> Response:
    """Make a response of plain data."""
    return Response(status, (_JSON, *id_headers(request_id)), (msgspec.json.encode(body),))


def refusal_response(wire: Wire, refused: RequestRefused, request_id: str) -> Response:
    """Make the response that says an error."""
    return json_response(refused.status, wire.refusal(refused, request_id), request_id)


def id_headers(request_id: str) -> tuple[tuple[str, str], ...]:
    """The request's id, under the names by which the SDKs look for it."""
    return (("x-request-id", request_id), ("request-id", request_id)) if request_id else ()


def id_of_body(body: bytes) -> str:
    """An id for a request that cannot be read."""
    return f"req_{hashlib.sha256(body).hexdigest()[:16]}"


def _think(policy: OfflinePolicy, request: ParsedRequest) -> ChatReply:
    try:
        # A policy makes its plan again with each call of a conversation.
        seed = None if request.chat.seed is None else shared_seed(request.chat.seed)
        chat = msgspec.structs.replace(request.chat, seed=seed)
        return shaped(request, offline_reply(policy, chat))
    except BadRequest as error:
        raise RequestRefused(400, str(error)) from None
