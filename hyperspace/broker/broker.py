"""The broker: the one way out of a sandbox, a Unix socket through which its model is asked.

Who is asking is known from the broker itself, one for each sandbox; nothing that a request says
can change it.
"""

import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import SocketAttribute, SocketListener, SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream
from msgspec.structs import replace

from guards.defences import ALL_IN_FORCE, Without
from hyperspace.broker.bounds import ByteSemaphore, SandboxBounds
from hyperspace.broker.socket_folder import SocketFolder
from hyperspace.broker.wire import (
    BadChatFrame,
    BrokerLimits,
    ChatFrame,
    NeedFrame,
    answer_frame,
    error_frame,
    receive_frame,
    receive_size,
    reply_frame,
    send_frame,
)
from hyperspace.messages import WHAT_IS_LEFT, CallKey, ChatReply, ChatRequest, call_seed
from hyperspace.models.base import (
    BadRequest,
    ContextOverflow,
    Model,
    ModelError,
    NoRecordedAnswer,
    PlacedModel,
    Refused,
    ServerRefuses,
    address_of,
)
from hyperspace.models.names import OFFLINE, asked_name
from hyperspace.models.policy.retrying import ProviderDowntime, counting_downtime
from hyperspace.tracing.traces import Ask, Recorder, error_kind

__all__ = ["Broker", "BrokerLimits"]

DEFAULT_LIMITS = BrokerLimits()
RaiseNeed = Callable[[str, bool], Awaitable[str | None]]
"""Takes a question, and whether the answer is waited for."""


class NeedRefused(Exception):
    """A question to the principal is not put.

    Attributes:
        kind: `budget` or `too_large`.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(eq=False)
class Broker:
    """Serves one sandbox while its context is open.

    When the model is out of reach (or the trace cannot be written) the broker stops answering,
    so that evolved code is never told of an outage as if it were its own failure.

    Attributes:
        model: The only model that may be asked.
        recorder: Where finished calls are recorded.
        label: Names the run, so that a killed coordinator's folders can be swept.
        seed: Sampling seed of every request, or of the first one.
        call_seeds: Whether each request has a seed of its own, so that a retry in the same
            conversation is another draw. Offline policies get one for all: they make their plan
            again with each call.
        owner_uid: User who may connect; None for our own.
        limits: Bounds on what may be asked.
        attempt: What is worked on, for models that must know their place in a run.
        raise_need: Puts a question to the principal and returns the answer, or None where none is
            waited for; raises `NeedRefused`. None where this sandbox may ask nothing.
        what_is_left: Says what is left of generations and money; None where nobody is told.
        without: Defences that a test has taken away.
        is_ours: Whether the code inside is what the run began with: what a server refuses of its
            first message is no candidate's fault.
        refusals: What was refused: the first hundred, then one that says that there were more.
        outage: Why the model is out of reach; None while all is well.
    """

    model: Model
    recorder: Recorder
    _: KW_ONLY
    label: str = "adhoc"
    seed: int | None = None
    call_seeds: bool = False
    owner_uid: int | None = None
    limits: BrokerLimits = DEFAULT_LIMITS
    attempt: str = ""
    raise_need: RaiseNeed | None = None
    what_is_left: Callable[[], str] | None = None
    without: Without = ALL_IN_FORCE
    is_ours: bool = False
    outage: ModelError | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self._failure: Exception | None = None
        names = (self.model.name, asked_name(self.model.name))
        self._bounds = SandboxBounds(self.limits, names, self.without)
        self.refusals = self._bounds.refusals
        self._closed = False
        self._downtime = ProviderDowntime()
        self._folder = SocketFolder(self.label, self.owner_uid, self.answer_at)
        self._listeners: list[SocketListener] = []
        self._sockets: set[socket.socket] = set()
        self._asking: set[anyio.CancelScope] = set()
        self._slots = anyio.Semaphore(self.limits.connections, fast_acquire=True)
        self._buffer = ByteSemaphore(max(self.limits.buffer_bytes, self.limits.frame_bytes))

    @property
    def work(self) -> tuple[str, str]:
        """Purpose and item of the calls at present."""
        return self._bounds.work

    def begin_item(self, purpose: str, item: str = "") -> None:
        """Set what the calls from now on are for."""
        self._bounds.work = (purpose, item)

    def paused_s(self) -> float:
        """Seconds so far for which the sandbox waited for a model that was failing."""
        return self._downtime.seconds()

    async def __aenter__(self) -> "Broker":
        """Be ready to answer."""
        self._tasks = anyio.create_task_group()
        await self._tasks.__aenter__()
        return self

    async def __aexit__(self, *_error: object) -> None:
        """Close the sockets and end what is in flight.

        Raises:
            OSError: The trace could not be written.
        """
        self._tasks.cancel_scope.shield = True
        try:
            await self.close()
            # The body's own error is not the group's: it leaves as it is, not in a group.
            await self._tasks.__aexit__(None, None, None)
        finally:
            self._folder.remove()
        if self._failure is not None:
            raise self._failure

    def folder(self) -> Path:
        """Return a private folder with a socket `s`; see `guards.sandboxes.sandbox.BrokerDoors`."""
        return self._folder.path()

    def answer_at(self, door: socket.socket) -> None:
        """Answer at a socket that listens; see `guards.sandboxes.sandbox.BrokerDoors`."""
        self._tasks.start_soon(self._serve, door)

    async def close(self) -> None:
        """End every connection and every call in flight; safe to call twice.

        A call that is cancelled here stays reserved, because its provider may bill it.
        """
        # Each handler sees its socket's end: to cancel one that waits for bytes would race with
        # bytes that just arrive.
        self._closed = True
        for raw in self._sockets:
            with suppress(OSError):
                raw.shutdown(socket.SHUT_RDWR)
        for asking in self._asking:
            asking.cancel()
        with anyio.CancelScope(shield=True):  # cut off halfway it would leave its socket open
            for listener in self._listeners:
                await listener.aclose()

    async def _serve(self, door: socket.socket) -> None:
        # Shielded, because only `close` ends connections cleanly; it is called in every case.
        with anyio.CancelScope(shield=True):
            listener = await SocketListener.from_socket(door)
            self._listeners.append(listener)
            async with listener, anyio.create_task_group() as handlers:
                with suppress(anyio.ClosedResourceError):
                    while not self._closed:
                        # Accepted only when there is a slot: the rest waits in the kernel.
                        await self._slots.acquire()
                        try:
                            stream = await listener.accept()
                        except BaseException:  # whatever it was, nobody has come
                            self._slots.release()
                            raise
                        handlers.start_soon(self._handle, stream)

    async def _handle(self, stream: SocketStream) -> None:
        gone = (anyio.BrokenResourceError, anyio.EndOfStream, anyio.IncompleteRead)
        raw = stream.extra(SocketAttribute.raw_socket)  # noqa: S610 (anyio, not Django)
        self._sockets.add(raw)
        try:
            async with stream:
                if not self._closed:
                    with suppress(*gone):
                        await self._converse(stream)
        finally:
            self._sockets.discard(raw)
            self._slots.release()

    async def _converse(self, stream: SocketStream) -> None:
        receiver = BufferedByteReceiveStream(stream)
        try:
            while await self._exchange(stream, receiver):
                pass
        except BadChatFrame as bad:
            await send_frame(stream, self._bounds.refuse(bad.kind, str(bad)))

    async def _exchange(self, stream: SocketStream, receiver: BufferedByteReceiveStream) -> bool:
        """Take one request and answer it; False when there is nothing more to say."""
        size = await receive_size(receiver, self.limits.frame_bytes)
        async with self._buffer.hold(size):
            can_ask = self.raise_need is not None
            frame = await receive_frame(receiver, size, self.without, needs=can_ask)
            answer = None if self._closed else await self._answer(frame)
        if answer is not None:
            await send_frame(stream, answer)
        return answer is not None

    async def _answer(self, frame: ChatFrame | NeedFrame) -> dict[str, Any] | None:
        """Refuse, or ask the model; None if there is no answer that a sandbox may see."""
        if isinstance(frame, NeedFrame):
            return await self._need(frame)
        refusal = self._bounds.refusal(frame)
        if refusal is not None:
            return refusal
        try:
            return await self._ask(self._bounds.next_key(), frame)
        except (BadRequest, ContextOverflow) as error:
            return error_frame(error_kind(error), str(error))
        except ModelError as error:
            self.outage = error
        except Exception as error:  # through the task group it would come out as another one
            self._failure = error
        await self.close()
        return None

    async def _need(self, frame: NeedFrame) -> dict[str, Any] | None:
        """Put a question to the principal; a wait for the answer is none of the sandbox's time."""
        if self.raise_need is None:
            raise BadChatFrame("malformed", "not a chat request")
        with anyio.CancelScope() as asking:
            self._asking.add(asking)
            self._downtime.begin(0.0)
            try:
                return answer_frame(await self.raise_need(frame.question, frame.blocking))
            except NeedRefused as refused:
                return self._bounds.refuse(refused.kind, str(refused))
            except Exception as error:  # through the task group it would come out as another one
                self._failure = error
            finally:
                self._downtime.end()
                self._asking.discard(asking)
        if self._failure is not None:
            await self.close()
        return None

    async def _complete(self, request: ChatRequest) -> ChatReply:
        """Ask the model, with what is left where the request has room for it."""
        messages = request.messages
        has_room = any(WHAT_IS_LEFT in message.content for message in messages)
        if self.what_is_left is None or self.model.offline or not has_room:
            return await self.model.complete(request)
        left = self.what_is_left()
        told = tuple(
            replace(message, content=message.content.replace(WHAT_IS_LEFT, left))
            for message in messages
        )
        reply = await self.model.complete(replace(request, messages=told))
        return replace(reply, what_is_left=left)

    def _seed(self, key: CallKey) -> int | None:
        if self.seed is None or not self.call_seeds or self.model.name.startswith(OFFLINE):
            return self.seed
        return call_seed(self.seed, key.ordinal)

    async def _ask(self, key: CallKey, frame: ChatFrame) -> dict[str, Any] | None:
        with anyio.CancelScope() as asking:
            self._asking.add(asking)
            try:
                request = ChatRequest(
                    model=asked_name(self.model.name),
                    messages=frame.messages,
                    tools=frame.tools,
                    temperature=frame.temperature,
                    seed=self._seed(key),
                )
                ask: Ask = self._complete
                cached_as = f"{self.model.name} {address_of(self.model)}"
                if isinstance(self.model, PlacedModel):
                    ask, cached_as = partial(self.model.answer_at, self.attempt, key), ""
                if self.is_ours and not any(m.role == "assistant" for m in frame.messages):
                    ask = partial(_blameless, ask)
                with counting_downtime(self._downtime):
                    reply = await self.recorder.answer(key, request, ask, cached_as)
                return reply_frame(reply)
            finally:
                self._asking.discard(asking)
        return None


async def _blameless(ask: Ask, request: ChatRequest) -> ChatReply:
    """Ask what no candidate has shaped.

    Raises:
        ServerRefuses: The server refuses it all the same.
    """
    try:
        return await ask(request)
    except (Refused, NoRecordedAnswer):  # peers may have words in it; a recording knows no server
        raise
    except BadRequest as error:
        text = "it is the first message of the code that the run began with, so no candidate's"
        raise ServerRefuses(f"{error}; {text}") from error
