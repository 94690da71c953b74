"""The HTTP side: one thread a connection, kept alive between requests."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Final, NamedTuple

import msgspec

from agents.models.base import BadRequest, UnknownModel
from agents.models.offline import offline_reply
from agents.serve.brains import Brains
from agents.serve.stats import Stats
from agents.serve.wire import (
    completion,
    decode_request,
    error_body,
    model_list,
    to_chat_request,
)

BODY_LIMIT_BYTES: Final = 64 * 1024**2


class Answer(NamedTuple):
    """A status and a body that is sent as JSON."""

    status: int
    body: dict[str, Any]


class ChatServer(ThreadingHTTPServer):
    """Answers chat completions with offline policies.

    Attributes:
        brains: Who answers for which model.
        stats: What was asked.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, brains: Brains, host: str = "127.0.0.1", port: int = 0) -> None:
        """Take the port; 0 takes any free one.

        Raises:
            OSError: The port is taken, or the host is not ours.
        """
        self.brains = brains
        self.stats = Stats()
        super().__init__((host, port), _Handler)

    @property
    def url(self) -> str:
        """Base URL for clients."""
        host, port = self.server_address[:2]
        return f"http://{host if isinstance(host, str) else host.decode()}:{port}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Pass over clients that have left; anything else is a defect and is shown."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    @contextmanager
    def running(self) -> Generator["ChatServer"]:
        """Serve in a thread while the context is open."""
        thread = Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self.shutdown()
            thread.join()
            self.server_close()

    def get(self, path: str) -> Answer:
        """Answer a GET."""
        match path:
            case "/v1/models":
                return Answer(200, model_list(self.brains.names()))
            case "/stats":
                return Answer(200, self.stats.snapshot())
            case _:
                return _no_such_path(path)

    def post(self, path: str, body: bytes) -> Answer:
        """Answer a POST."""
        if path != "/v1/chat/completions":
            return _no_such_path(path)
        try:
            request = decode_request(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            return Answer(400, error_body(f"no chat request: {error}", "invalid_request_error"))
        self.stats.asked(request.model)
        if request.stream:
            reason = "this server does not stream; send the request with stream=false"
            return Answer(400, error_body(reason, "invalid_request_error", "stream_unsupported"))
        chat = to_chat_request(request)
        try:
            reply = offline_reply(self.brains.find(request.model), chat)
        except UnknownModel as error:
            return Answer(404, error_body(str(error), "invalid_request_error", "model_not_found"))
        except BadRequest as error:
            return Answer(400, error_body(str(error), "invalid_request_error"))
        self.stats.completed(request.model, reply.usage)
        return Answer(200, completion(chat, reply))


def _no_such_path(path: str) -> Answer:
    reason = (
        f"nothing is at {path}; there are POST /v1/chat/completions, GET /v1/models, GET /stats"
    )
    return Answer(404, error_body(reason, "invalid_request_error"))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: ChatServer  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_GET(self) -> None:
        self._send(self.server.get(self.path))

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > BODY_LIMIT_BYTES:
            self.close_connection = True  # the unread body would be taken for the next request
            reason = f"a body of known length, at most {BODY_LIMIT_BYTES} bytes, is needed"
            self._send(Answer(413, error_body(reason, "invalid_request_error")))
            return
        self._send(self.server.post(self.path, self.rfile.read(int(length))))

    def _send(self, answer: Answer) -> None:
        payload = msgspec.json.encode(answer.body)
        self.send_response(answer.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 (the base class's name)
        """Say nothing: GET /stats tells what was asked."""
