"""What models behind an endpoint have in common, whichever protocol and SDK they are asked with."""

from abc import ABC, abstractmethod
from typing import Any, Final

import anyio
import msgspec

from agents.messages import ChatReply, ChatRequest
from agents.models.base import BadRequest, FieldRefused, ProviderDown, UnknownModel, WrongAddress
from agents.models.bounded_replies import PLAIN, bounded_by
from agents.models.errors import ModelTarget, Sdk, translated
from agents.models.names import ModelOptions
from agents.models.normalize import reply_object, scrub
from agents.models.providers import is_local
from agents.models.streaming import Assembly, EventReader, read_events, silent

CHECK_TIMEOUT_S: Final = 10.0
CONNECT_TIMEOUT_S: Final = 10.0
_UNREAD: Final = {"X-Stainless-Raw-Response": "stream"}  # tells the SDKs to leave the body to us
_PINNABLE: Final = ("temperature", "top_p", "reasoning_effort")


class Endpoint(msgspec.Struct, frozen=True):
    """A model at an address.

    Attributes:
        name: The model as the person wrote it.
        target: What the endpoint knows it by, and where it is.
        options: What the person wants of every call.
    """

    name: str
    target: ModelTarget
    options: ModelOptions = ModelOptions()


class EndpointModel(ABC):
    """A model behind an endpoint. One attempt a call: retries are the policy's.

    What a model does not take besides the conversation is left out from its first refusal on,
    unless a person asked for it. It is remembered with its value, so that an answer depends on
    nothing but its request.
    """

    offline = False

    def __init__(self, endpoint: Endpoint, sdk: Sdk, path: str) -> None:
        """Prepare a client that connects only when asked, and without redirects.

        A redirect would take the key to an address that nobody has named. This machine is never
        reached by proxy.

        Args:
            endpoint: Who is asked, where.
            sdk: Whose client asks.
            path: Where conversations are answered, below the endpoint's URL.
        """
        self.name = endpoint.name
        self._endpoint = endpoint
        self._sdk = sdk
        self._path = path
        target, options = endpoint.target, endpoint.options
        self._pinned = {name for name in _PINNABLE if getattr(options, name) is not None}
        self._refused: set[tuple[str, str]] = set()
        timeout = sdk.transport.Timeout(options.whole_s, connect=CONNECT_TIMEOUT_S)
        self._client = sdk.client(
            api_key=target.key,
            base_url=target.url,
            max_retries=0,
            timeout=timeout,
            http_client=sdk.connections(
                timeout=timeout,
                trust_env=not is_local(target.url),
                follow_redirects=False,
                headers=PLAIN,
                event_hooks={"response": [bounded_by(sdk.transport)]},
            ),
        )

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Ask once with all fields that are not known to be refused, again for each new refusal.

        Raises:
            FieldRefused: A person asked for this field.
            ModelError: See the tree in `agents.models.base`.
        """
        every = self._fields(request)
        while True:
            fields = {
                name: value
                for name, value in every.items()
                if (name, repr(value)) not in self._refused
            }
            try:
                with translated(self._endpoint.target, self._sdk):
                    answer = await self._send(fields)
                return self._reply(answer, request)
            except FieldRefused as error:
                if error.field not in fields or error.field in self._pinned:
                    raise
                self._refused.add((error.field, repr(fields[error.field])))

    async def check(self) -> None:
        """List the endpoint's models, to see that it answers; one that has no list answers too.

        Raises:
            ProviderDown: Nothing answers there.
            AuthFailed: The key was refused.
            WrongAddress: It sends us somewhere else.
        """
        try:
            with translated(self._endpoint.target, self._sdk):
                await self._sdk.list_models(self._client.with_options(timeout=CHECK_TIMEOUT_S))
        except WrongAddress:
            raise
        except (UnknownModel, BadRequest):
            return

    async def aclose(self) -> None:
        """Close the connections; safe to call twice."""
        await self._client.close()

    async def _send(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Send a body, streamed or not; returns the answer in the form of an unstreamed one."""
        if fields.get("stream"):
            return await self._stream(fields)
        body = {name: value for name, value in fields.items() if name != "stream_options"}
        with anyio.move_on_after(whole_s := self._endpoint.options.whole_s):
            answer = await self._post(body)
            return reply_object(answer.content, self._endpoint.target)
        raise ProviderDown(f"{self._endpoint.target} sent no whole reply within {whole_s:g} s")

    async def _stream(self, fields: dict[str, Any]) -> dict[str, Any]:
        target, assembly = self._endpoint.target, self._assembly()
        limits, sdk = self._endpoint.options.silence_limits, self._sdk
        reader = EventReader(assembly, target)
        wait = sdk.transport.Timeout(limits.first_s, connect=CONNECT_TIMEOUT_S)
        try:
            response = await self._post(fields, timeout=wait, headers=_UNREAD)
        except sdk.package.APITimeoutError as error:
            if isinstance(error.__cause__, sdk.transport.ReadTimeout):
                raise silent(target, limits.first_s) from None
            raise
        try:
            await read_events(response.stream, reader, limits, target)
        finally:
            with anyio.CancelScope(shield=True):
                await response.aclose()
        return scrub(reader.answer(), target)

    async def _post(self, body: dict[str, Any], **options: Any) -> Any:
        """Post a body without the SDK's own form of requests and replies.

        It copies conversation and tools value by value, and makes records of a reply that are
        plain data again here.
        """
        response = self._sdk.transport.Response
        return await self._client.post(self._path, cast_to=response, body=body, options=options)

    @abstractmethod
    def _fields(self, request: ChatRequest) -> dict[str, Any]:
        """The body of a request, optional fields included."""

    @abstractmethod
    def _assembly(self) -> Assembly:
        """What puts a streamed reply together."""

    @abstractmethod
    def _reply(self, answer: dict[str, Any], request: ChatRequest) -> ChatReply:
        """Check an answer and take our reply from it."""
