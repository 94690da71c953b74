"""What models behind an endpoint have in common, whichever protocol and SDK they are asked with."""

from abc import ABC, abstractmethod
from codecs import BOM_UTF8
from typing import Any, Final

import anyio
import msgspec

from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.models.base import (
    BadRequest,
    FieldRefused,
    MalformedReply,
    ModelError,
    ProviderDown,
    ReplyTruncated,
    ToolsUnsupported,
    Transient,
    UnknownModel,
    WrongAddress,
)
from hyperspace.models.bounded_replies import PLAIN, bounded_by, counting_bytes
from hyperspace.models.connections import certificates, proxy_for
from hyperspace.models.errors import ModelTarget, Sdk, translated
from hyperspace.models.local_server import (
    ANSWER_S,
    ServerFacts,
    facts_of,
    is_asked_for_facts,
    pages_of,
    root_of,
)
from hyperspace.models.names import ModelOptions
from hyperspace.models.normalize import reply_object, scrub, usage_of_bytes
from hyperspace.models.providers import is_local
from hyperspace.models.request_fields import BY_NAME, Adaptation, Adaptations, left_out, notice
from hyperspace.models.streaming import Assembly, EventReader, read_events, silent

CHECK_TIMEOUT_S: Final = 10.0
NEAR_LIST_S: Final = 5.0
CONNECT_TIMEOUT_S: Final = 10.0
_UNREAD: Final = {"X-Stainless-Raw-Response": "stream"}  # tells the SDKs to leave the body to us
_EVENT_LINES: Final = (b"data:", b"event:", b"id:", b"retry:", b":")
_MOST_ADAPTATIONS: Final = 40  # to one request; there are fewer fields


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

    What a model does not take besides the conversation is left out from its first refusal on, or
    asked for in another way, unless a person asked for it (`hyperspace.models.request_fields`).

    Attributes:
        facts: What a server nearby said of itself when it was checked.
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

        Raises:
            BadConnectionSetting: The environment names a proxy or certificates without sense.
        """
        self.name = endpoint.name
        self._endpoint = endpoint
        self._sdk = sdk
        self._path = path
        target, options = endpoint.target, endpoint.options
        self._adaptations = Adaptations()
        self.facts = ServerFacts()
        timeout = sdk.transport.Timeout(options.whole_s, connect=CONNECT_TIMEOUT_S)
        is_here = is_local(target.url)
        if not is_here:
            proxy_for(target.url)  # or the client itself stumbles over it
        self._client = sdk.client(
            api_key=target.key,
            base_url=target.url,
            max_retries=0,
            timeout=timeout,
            http_client=sdk.connections(
                timeout=timeout,
                trust_env=not is_here,
                verify=is_here or certificates(),
                follow_redirects=False,
                headers=PLAIN,
                event_hooks={"response": [bounded_by(sdk.transport)]},
            ),
        )

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Ask once with all fields that are not known to be refused, again for each new refusal.

        Raises:
            FieldRefused: A person asked for this field.
            ModelError: See the tree in `hyperspace.models.base`.
        """
        if request.tools and self.facts.has_tools is False:
            raise ToolsUnsupported(f"the template of {self._endpoint.target} knows no tools")
        every = self._fields(request)
        for _ in range(_MOST_ADAPTATIONS):
            fields = self._adaptations.applied(every)
            try:
                reply = await self._ask(fields, request)
            except FieldRefused as error:
                if self._adaptations.applied(every) == fields:  # no other call has learnt it
                    self._learn(error, fields)
                continue
            known = {"left_out": left_out(every, fields), "window": self.facts.window}
            return msgspec.structs.replace(reply, **known)
        raise BadRequest(f"{self._endpoint.target} refuses one field after the other")

    def adapt(self, adaptation: Adaptation) -> None:
        """Let an adaptation hold that is on record."""
        if adaptation.model == self.name:
            self._adaptations.take(adaptation)

    async def _ask(self, fields: dict[str, Any], request: ChatRequest) -> ChatReply:
        with counting_bytes() as received:
            try:
                with translated(self._endpoint.target, self._sdk, fields):
                    return self._reply(await self._send(fields), request)
            except (MalformedReply, ReplyTruncated) as error:
                error.usage = usage_of_bytes(request, received.size)  # no more was made than came
                raise

    def _learn(self, error: FieldRefused, sent: dict[str, Any]) -> None:
        """Change what is asked for from now on.

        Raises:
            FieldRefused: A person asked for it.
            BadRequest: There is nothing left to change.
        """
        said = self._endpoint.target.quoted(error)
        proposal = self._adaptations.proposal(self.name, error.field, error.room, sent, said)
        if proposal is None:
            raise BadRequest(str(error)) from None
        if (option := self._pinned_by(error.field)) and (
            proposal.remedy == "drop" or proposal.most > 0
        ):
            advice = f"take {option}= out of the model's name"
            if proposal.most:
                advice = f"write {option}={proposal.most} or less in the model's name"
            raise FieldRefused(f"{error}; {advice}", error.field) from None
        self._adaptations.take(proposal)
        notice(proposal)

    def _pinned_by(self, field: str) -> str:
        """The option by which a person asked for a field; empty where nobody did."""
        option = BY_NAME[field].option
        options = self._endpoint.options
        is_pinned = option and getattr(options, option) != getattr(ModelOptions(), option)
        return option if is_pinned else ""

    async def check(self) -> None:
        """List the endpoint's models, to see that it answers; one that has no list answers too.

        A server nearby may have a list that nobody can read, and answer all the same.

        Raises:
            ProviderDown: Nothing answers there.
            AuthFailed: The key was refused.
            WrongAddress: It sends us somewhere else.
        """
        listing: Any = None
        is_near = is_asked_for_facts(self._endpoint.target.url)
        try:
            with anyio.move_on_after(NEAR_LIST_S if is_near else None):
                with translated(self._endpoint.target, self._sdk):
                    client = self._client.with_options(timeout=CHECK_TIMEOUT_S)
                    listing = await self._sdk.list_models(client)
        except WrongAddress:
            raise
        except (UnknownModel, BadRequest):
            pass
        except Transient as error:
            if not is_near or (isinstance(error, ProviderDown) and not error.is_reached):
                raise
        if is_near:
            if hasattr(listing, "model_dump"):
                listing = listing.model_dump(mode="python", warnings=False)
            await self._learn_facts(listing)

    async def _learn_facts(self, listing: object) -> None:
        """Ask a server nearby what it runs; its window bounds what is asked for."""
        target = self._endpoint.target
        with anyio.move_on_after(ANSWER_S):
            pages: dict[str, object] = {}
            for path, body in pages_of(target.model).items():
                pages[path] = await self._own_page(f"{root_of(target.url)}{path}", body)
                self.facts = facts_of(target.model, listing, pages)
                if self.facts != ServerFacts():
                    break
        if self.facts.window:
            said = f"its window is {self.facts.window} tokens"
            limit = Adaptation(
                model=self.name,
                field="max_tokens",
                remedy="shrink",
                window=self.facts.window,
                said=said,
            )
            self._adaptations.take(limit)

    async def _own_page(self, url: str, body: object) -> object:
        """A page of a server's own as plain data; None where there is none.

        Args:
            url: Where it is.
            body: What is posted there; None to read it.
        """
        shape: Any = self._sdk.transport.Response
        try:
            with translated(self._endpoint.target, self._sdk):
                if body is None:
                    answer = await self._client.get(url, cast_to=shape)
                else:
                    answer = await self._client.post(url, cast_to=shape, body=body)
            return msgspec.json.decode(answer.content)
        except (ModelError, ValueError, RecursionError):
            return None

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
            return self._whole(answer.content)
        raise ProviderDown(f"{self._endpoint.target} sent no whole reply within {whole_s:g} s")

    def _whole(self, content: bytes) -> dict[str, Any]:
        """The answer in the body of a plain response: an object, or events that nobody wanted."""
        content = content.removeprefix(BOM_UTF8)
        if not content.lstrip().startswith(_EVENT_LINES):
            return reply_object(content, self._endpoint.target)
        reader = EventReader(self._assembly(), self._endpoint.target)
        reader.feed(content)
        return scrub(reader.answer(), self._endpoint.target)

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
