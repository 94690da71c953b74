"""A server that answers over real HTTP with one prepared answer after the other."""

import socket
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple

import msgspec

from hyperspace.models.local_server import pages_of


class Prepared(NamedTuple):
    """One answer.

    Attributes:
        status: HTTP status.
        body: What is sent, as it stands.
        headers: Headers beside the length.
        cut: Close the connection in the middle of the body.
        drip_s: Seconds between one byte of the body and the next.
        stall_s: Seconds of silence after `stall_at` bytes of the body.
        stall_at: See `stall_s`.
    """

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)
    cut: bool = False
    drip_s: float = 0.0
    stall_s: float = 0.0
    stall_at: int = 0


def stream(*events: Any, end: str = "data: [DONE]\n\n", names: bool = False) -> Prepared:
    """An answer in server-sent events; `names` gives each the name that its `type` says."""
    lines: list[str] = []
    for event in events:
        name = f"event: {event['type']}\n" if names else ""
        lines.append(f"{name}data: {msgspec.json.encode(event).decode()}\n\n")
    body = "".join([*lines, end]).encode()
    return Prepared(200, body, (("Content-Type", "text/event-stream"),))


class FaultyServer(ThreadingHTTPServer):
    """Plays prepared answers in order, the last one again and again.

    Attributes:
        pages: Answers at certain paths, which are none of those in order: at first that there is
            nothing where servers are asked what they run.
        asked: Bodies and headers (by lower-case name) of the requests, in order.
        paths: Their paths.
    """

    daemon_threads = True

    def __init__(self, answers: Sequence[Prepared]) -> None:
        self.answers = list(answers)
        self.pages = dict.fromkeys(pages_of(""), Prepared(404, b"{}"))
        self.asked: list[tuple[dict[str, Any], dict[str, str]]] = []
        self.paths: list[str] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def url(self) -> str:
        return f"{self.root}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Pass over clients that have left, as cancelled ones do."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def next(self) -> Prepared:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


class _Handler(BaseHTTPRequestHandler):
    server: FaultyServer  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_GET(self) -> None:
        self._play(b"{}")

    def do_POST(self) -> None:
        self._play(self.rfile.read(int(self.headers["Content-Length"])))

    def _play(self, body: bytes) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.asked.append((msgspec.json.decode(body), headers))
        self.server.paths.append(self.path)
        answer = self.server.pages.get(self.path) or self.server.next()
        self.send_response(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self._write(answer)
        if answer.cut:
            self.connection.shutdown(socket.SHUT_RDWR)

    def _write(self, answer: Prepared) -> None:
        body = answer.body[: len(answer.body) // 2] if answer.cut else answer.body
        if answer.stall_s:
            self.wfile.write(body[: answer.stall_at])
            time.sleep(answer.stall_s)
            body = body[answer.stall_at :]
        if not answer.drip_s:
            self.wfile.write(body)
            return
        for byte in body:
            self.wfile.write(bytes([byte]))
            time.sleep(answer.drip_s)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@contextmanager
def faulty_server(*answers: Prepared) -> Generator[FaultyServer]:
    """Serve prepared answers while the context is open."""
    server = FaultyServer(answers)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
