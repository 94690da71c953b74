"""A proxy that gives our model server the quirks of other servers (`tests/support/quirks.toml`).

Each quirk has a path of its own below the proxy, so that one process plays them all.
"""

import gzip
import http.client
import json
import threading
import zlib
from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple
from urllib.parse import urlsplit

import msgspec

FILE: Final = Path(__file__).parents[1] / "quirks.toml"


class RefusalRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Requests that a server refuses.

    Attributes:
        status: HTTP status.
        body: What it says, as it stands; `{quote}` is the last message of the request.
        field: The refused field; empty refuses every request.
        value: Only this value of it is refused.
        above: Only numbers of it above this are refused.
        holds: Only requests with this in their last message are refused; empty for all.
        first: How many requests are refused at most; 0 for all.
        after: How many are answered before.
        conversation: Only the so-manieth different request is refused, each time that it comes.
        headers: Of the refusal.
    """

    status: int
    body: str
    field: str = ""
    value: Any = None
    above: float | None = None
    holds: str = ""
    first: int = 0
    after: int = 0
    conversation: int = 0
    headers: dict[str, str] = {}


class Quirk(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A quirk.

    Attributes:
        name: Names its run.
        expect: `same_digest`; `same_code`, where the words of a reply are others; `notice: WORDS`,
            where the run goes on and says so; or a part of the sentence with which it pauses.
        wire: Of which protocol the server is.
        options: Options in the model's name.
        refuse: What it refuses; the first rule that fits counts.
        set: Values in replies, by their path; JSON values.
        drop: Paths of values that replies lack.
        prefix: Text before the body.
        suffix: Text after it.
        form: Another form of the body: `gzip`, `deflate`, `bom`, `events`, `zip_bomb`, `crlf`.
        replace: The whole body.
        path: What the person writes behind the server's address, which answers below `/v1`.
    """

    name: str
    expect: str
    wire: Literal["openai", "openai-responses", "anthropic"] = "openai"
    options: str = "stream=off"
    refuse: tuple[RefusalRule, ...] = ()
    set: dict[str, Any] = {}
    drop: tuple[str, ...] = ()
    prefix: str = ""
    suffix: str = ""
    form: str = ""
    replace: str = ""
    path: str = "/v1"


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    quirk: tuple[Quirk, ...]


def read_quirks() -> tuple[Quirk, ...]:
    """All quirks of the file."""
    return msgspec.toml.decode(FILE.read_bytes(), type=_File).quirk


class _Upstream(NamedTuple):
    host: str
    port: int


class QuirkProxy(ThreadingHTTPServer):
    """Plays quirks before one server.

    Attributes:
        requests: How often each quirk's server was asked for a conversation.
        asked: The fields of these requests, in order.
        around: Entered with the number of each request before it is answered, and left when its
            answer has gone out.
    """

    daemon_threads = True

    def __init__(self, upstream: str, quirks: tuple[Quirk, ...]) -> None:
        parts = urlsplit(upstream)
        self.upstream = _Upstream(parts.hostname or "", parts.port or 0)
        self.quirks: Mapping[str, Quirk] = {quirk.name: quirk for quirk in quirks}
        self.requests = Counter[str]()
        self.asked: list[dict[str, Any]] = []
        self.around: Callable[[int], AbstractContextManager[None]] = lambda _: nullcontext()
        self.refused = Counter[tuple[str, int]]()
        self.conversations: dict[str, list[bytes]] = {}
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    def url(self, quirk: Quirk) -> str:
        """The address of a quirk's server, as a person writes it."""
        path = "" if quirk.wire == "anthropic" else quirk.path
        return f"http://127.0.0.1:{self.server_port}/{quirk.name}{path}"


class _Handler(BaseHTTPRequestHandler):
    server: QuirkProxy  # pyright: ignore[reportIncompatibleVariableOverride]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._send(200, b'{"object": "list", "data": []}', {"content-type": "application/json"})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        name, _, rest = self.path.removeprefix("/").partition("/")
        if name not in self.server.quirks:  # asked what other servers can be asked
            return self._send(404, b"404 page not found", {"content-type": "text/plain"})
        quirk, fields = self.server.quirks[name], json.loads(body)
        with self.server.lock:
            number = self.server.requests[name]
            self.server.requests[name] += 1
            different = self.server.conversations.setdefault(name, [])
            if body not in different:
                different.append(body)
            self.server.asked.append(dict(fields))
            refusal = self._refusal(quirk, fields, number, different.index(body) + 1)
        with self.server.around(number):
            self._play(quirk, fields, rest, refusal)

    def _play(
        self, quirk: Quirk, fields: dict[str, Any], rest: str, refusal: RefusalRule | None
    ) -> None:
        if refusal is not None:
            quote = json.dumps((fields.get("messages") or fields.get("input") or [""])[-1])
            text = refusal.body.replace("{quote}", quote)
            headers = {"content-type": "application/json", **refusal.headers}
            self._send(refusal.status, text.encode(), headers)
            return
        if not rest.startswith("v1/"):
            self._send(404, b"404 page not found", {"content-type": "text/plain"})
            return
        self._answer(quirk, fields, f"/{rest}")

    def _refusal(
        self, quirk: Quirk, fields: dict[str, Any], number: int, conversation: int
    ) -> RefusalRule | None:
        for index, rule in enumerate(quirk.refuse):
            sent = fields.get(rule.field)
            fits = not rule.field or (
                rule.field in fields
                and rule.value in (None, sent)
                and (rule.above is None or (isinstance(sent, int | float) and sent > rule.above))
            )
            last = json.dumps((fields.get("messages") or [""])[-1])
            fits = fits and rule.conversation in (0, conversation) and rule.holds in last
            used = self.server.refused[quirk.name, index]
            if fits and number >= rule.after and (not rule.first or used < rule.first):
                self.server.refused[quirk.name, index] += 1
                return rule
        return None

    def _answer(self, quirk: Quirk, fields: dict[str, Any], path: str) -> None:
        # What the policies behind would choose by must not hang on what they are sent.
        fields.pop("seed", None)
        if "max_completion_tokens" in fields:
            fields["max_tokens"] = fields.pop("max_completion_tokens")
        connection = http.client.HTTPConnection(*self.server.upstream, timeout=60)
        sent = {"content-type": "application/json"}
        if version := self.headers.get("anthropic-version"):
            sent["anthropic-version"] = version
        connection.request("POST", path, json.dumps(fields), sent)
        response = connection.getresponse()
        content, status = response.read(), response.status
        headers = {"content-type": response.headers["content-type"]}
        connection.close()
        if status == 200 and headers["content-type"].startswith("application/json"):
            content, headers = changed(quirk, content, headers)
        self._send(status, content, headers)

    def _send(self, status: int, content: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


def changed(quirk: Quirk, content: bytes, headers: dict[str, str]) -> tuple[bytes, dict[str, str]]:
    """A reply as a server of this quirk sends it."""
    answer = json.loads(content)
    for path, value in quirk.set.items():
        _set(answer, path.split("."), value)
    for path in quirk.drop:
        _set(answer, path.split("."), _GONE)
    content = (quirk.replace or quirk.prefix + json.dumps(answer) + quirk.suffix).encode()
    match quirk.form:
        case "gzip":
            return gzip.compress(content), {**headers, "content-encoding": "gzip"}
        case "deflate":
            packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
            packed = packer.compress(content) + packer.flush()
            return packed, {**headers, "content-encoding": "deflate"}
        case "zip_bomb":
            return gzip.compress(b" " * 40_000_000), {**headers, "content-encoding": "gzip"}
        case "bom":
            return b"\xef\xbb\xbf" + content, headers
        case "events" if quirk.wire == "openai-responses":
            event = {"type": "response.completed", "response": answer}
            return f"data: {json.dumps(event)}\n\n".encode(), {"content-type": "text/event-stream"}
        case "events":
            choice = answer["choices"][0]
            delta = choice.pop("message")
            for index, call in enumerate(delta.get("tool_calls") or ()):
                call["index"] = index
            chunk = {**answer, "choices": [{**choice, "delta": delta}]}
            text = f": keepalive\n\ndata: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"
            return text.encode(), {"content-type": "text/event-stream"}
        case _:
            return content, headers


_GONE: Final = object()


def _set(value: Any, path: list[str], new: object) -> None:
    """Set, or take away, what is at a path; `*` is each item of a list."""
    head, *rest = path
    if head == "*":
        for item in value or ():
            _set(item, rest, new)
    elif rest:
        if value.get(head) is not None:
            _set(value[head], rest, new)
    elif new is _GONE:
        value.pop(head, None)
    elif new == "{parsed}":
        if value.get(head) is not None:
            value[head] = json.loads(value[head])
    elif new == "{parts}":
        if isinstance(value.get(head), str):
            value[head] = [{"type": "text", "text": value[head]}]
    elif new == "{null}":
        value[head] = None
    elif new == "{nan}":
        value[head] = float("nan")
    else:
        value[head] = new


@contextmanager
def quirk_proxy(upstream: str, *quirks: Quirk) -> Generator[QuirkProxy]:
    """Play quirks, by default every one of the file, before a server while the context is open."""
    proxy = QuirkProxy(upstream, quirks or read_quirks())
    thread = threading.Thread(
        target=proxy.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
    )
    thread.start()
    try:
        yield proxy
    finally:
        proxy.shutdown()
        thread.join()
        proxy.server_close()
