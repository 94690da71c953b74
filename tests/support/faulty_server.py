"""A server that answers over real HTTP with one prepared answer after the other."""

import socket
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, NamedTuple

import msgspec


class Prepared(NamedTuple):
    """One answer.

    Attributes:
        status: HTTP status.
        body: What is sent, as it stands.
        headers: Headers beside the length.
        cut: Close the connection in the middle of the body.
    """

    status: int
    body: bytes
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)
    cut: bool = False


class FaultyServer(ThreadingHTTPServer):
    """Plays prepared answers in order, the last one again and again.

    Attributes:
        asked: Bodies and headers (by lower-case name) of the requests, in order.
    """

    daemon_threads = True

    def __init__(self, answers: Sequence[Prepared]) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[dict[str, Any], dict[str, str]]] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

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
        answer = self.server.next()
        self.send_response(answer.status)
        for name, value in answer.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body[: len(answer.body) // 2] if answer.cut else answer.body)
        if answer.cut:
            self.connection.shutdown(socket.SHUT_RDWR)

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
