"""The HTTP side against clients that are broken, slow, many, or gone."""

import json
import socket
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing, contextmanager
from http.client import HTTPConnection, HTTPResponse
from typing import Any

import pytest

from hyperspace.messages import ChatReply, ChatRequest
from hyperspace.offline.policies.scripted import ScriptedPolicy, ScriptedReply
from hyperspace.serve.behaviour import Behaviour, Latency
from hyperspace.serve.faults import Faults
from hyperspace.serve.http import BODY_LIMIT_BYTES
from hyperspace.serve.policies import ServedPolicies
from hyperspace.serve.server import ChatServer

PATH = "/v1/chat/completions"
ASK = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi"}]}).encode()
HEAD = f"POST {PATH} HTTP/1.1\r\nHost: x\r\n"
WHOLE = f"{HEAD}Content-Length: {len(ASK)}\r\n\r\n".encode() + ASK


@contextmanager
def serve(policy: ScriptedPolicy | None = None, **more: Any) -> Generator[ChatServer]:
    brains = ServedPolicies({"m": policy or ScriptedPolicy([ScriptedReply("hello" * 100)])})
    behaviour = Behaviour(Faults(), **more)
    with ChatServer(brains, behaviour=behaviour).running() as server:
        yield server


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with serve() as server:
        yield server


@contextmanager
def dialled(server: ChatServer) -> Generator[socket.socket]:
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=60) as raw:
        yield raw


def say(raw: socket.socket, sent: bytes) -> None:
    """Send bytes to the server, under its own name."""
    host, port = raw.getpeername()
    raw.sendall(sent.replace(b"Host: x\r\n", f"Host: {host}:{port}\r\n".encode()))


def answer(raw: socket.socket) -> tuple[int, bytes]:
    with closing(HTTPResponse(raw)) as response:
        response.begin()
        return response.status, response.read()


def wait_for(server: ChatServer, name: str, count: int) -> None:
    deadline = time.monotonic() + 60
    while server.stats.snapshot()[name] != count:
        assert time.monotonic() < deadline, server.stats.snapshot()
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400),  # a TLS handshake
        (b"GET / HTTP/1.1\r\n\r\n", 400),  # no host
        (b"GET /v1/models HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 100_000, 431),
        (f"{HEAD}Content-Length: 99999999999\r\n\r\n".encode(), 413),
        (f"{HEAD}Content-Length: none\r\n\r\n".encode(), 400),
        (f"{HEAD}\r\n".encode(), 400),
        (b"GET /nope HTTP/1.1\r\nHost: x\r\n\r\n", 404),
        (b"PUT /v1/models HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 405),
        (b"GET /v1/models?limit=9 HTTP/1.1\r\nHost: x\r\n\r\n", 200),
        (b"GET /v1/models HTTP/1.0\r\n\r\n", 421),  # no host
        (b"GET /v1/models HTTP/1.0\r\nHost: x\r\n\r\n", 200),
    ],
)
def test_whatever_is_sent_gets_a_status(server: ChatServer, sent: bytes, status: int) -> None:
    with dialled(server) as raw:
        say(raw, sent)
        code, body = answer(raw)
    assert code == status
    assert json.loads(body)
    with dialled(server) as raw:  # and the server goes on
        say(raw, WHOLE)
        assert answer(raw)[0] == 200


def test_a_body_that_grows_beyond_the_limit_is_refused_before_it_ends(server: ChatServer) -> None:
    chunk = b"x" * (1 << 20)
    framed = f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n"
    with dialled(server) as raw:
        say(raw, f"{HEAD}Transfer-Encoding: chunked\r\n\r\n".encode())
        for _ in range(BODY_LIMIT_BYTES // len(chunk) + 1):
            say(raw, framed)
        assert answer(raw)[0] == 413


def test_a_body_in_chunks_is_read(server: ChatServer) -> None:
    with dialled(server) as raw:
        say(raw, f"{HEAD}Transfer-Encoding: chunked\r\n\r\n{len(ASK):x}\r\n".encode())
        say(raw, ASK + b"\r\n0\r\n\r\n")
        assert answer(raw)[0] == 200


def test_a_client_that_waits_for_permission_to_send_gets_it(server: ChatServer) -> None:
    with dialled(server) as raw:
        say(raw, f"{HEAD}Content-Length: {len(ASK)}\r\nExpect: 100-continue\r\n\r\n".encode())
        assert raw.recv(100).startswith(b"HTTP/1.1 100 ")
        say(raw, ASK)
        assert answer(raw)[0] == 200


def test_requests_sent_before_their_turn_are_answered_in_order(server: ChatServer) -> None:
    with dialled(server) as raw:
        say(raw, WHOLE * 2 + b"GET /stats HTTP/1.0\r\nHost: x\r\n\r\n")
        everything = b"".join(iter(lambda: raw.recv(65536), b""))
    assert everything.count(b"HTTP/1.1 200") == 3
    assert everything.count(b"chatcmpl-") == 2


def test_the_head_of_an_answer_can_be_asked_for_alone(server: ChatServer) -> None:
    connection = HTTPConnection("127.0.0.1", server.server_port)
    for _ in range(2):
        connection.request("HEAD", "/v1/models")
        response = connection.getresponse()
        assert (response.status, response.read()) == (405, b"")
    connection.close()


def test_a_client_that_sends_slowly_keeps_nobody_waiting(server: ChatServer) -> None:
    with ExitStack() as stack:
        slow = [stack.enter_context(dialled(server)) for _ in range(50)]
        for raw in slow:
            say(raw, WHOLE[:-5])
        with dialled(server) as raw:
            say(raw, WHOLE)
            assert answer(raw)[0] == 200
        for raw in slow:
            say(raw, WHOLE[-5:])
            assert answer(raw)[0] == 200


@pytest.mark.long
def test_a_thousand_connections_at_once_are_all_answered(server: ChatServer) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(dialled(server)) for _ in range(1000)]
        for raw in clients:
            say(raw, WHOLE)
        assert {answer(raw)[0] for raw in clients} == {200}


class _Noticing(ScriptedPolicy):
    """Notices that it is asked."""

    def __init__(self) -> None:
        super().__init__([ScriptedReply("hello")])
        self.is_asked = threading.Event()

    def reply(self, request: ChatRequest) -> ChatReply:
        self.is_asked.set()
        return super().reply(request)


def test_an_answer_is_found_while_its_time_runs() -> None:
    policy = _Noticing()
    with serve(policy, latency=Latency(60_000, 60_000)) as server, dialled(server) as raw:
        say(raw, WHOLE)
        assert policy.is_asked.wait(60)
        assert server.stats.snapshot()["in_flight"] == 1


def test_a_client_that_left_before_its_answer_did_not_complete_it() -> None:
    with serve(latency=Latency(700, 700)) as server:
        with dialled(server) as raw:
            say(raw, WHOLE)
            wait_for(server, "in_flight", 1)
        wait_for(server, "cut", 1)
        snapshot = server.stats.snapshot()
    assert (snapshot["requests"], snapshot["completed"]) == (1, 0)
    assert snapshot["completion_tokens"] == 0


def test_a_server_ends_at_once_however_many_wait() -> None:
    with ExitStack() as stack:
        with serve(latency=Latency(60_000, 60_000)) as server:
            for _ in range(20):
                say(stack.enter_context(dialled(server)), WHOLE)
            wait_for(server, "in_flight", 20)
            started = time.monotonic()
        assert time.monotonic() - started < 10
    with pytest.raises(ConnectionRefusedError), dialled(server):
        pass


def test_without_a_key_there_is_a_401_where_one_is_required() -> None:
    with serve(require_key=True) as server:
        for headers, status in (
            ("", 401),
            ("Authorization: Basic x\r\n", 401),
            ("Authorization: Bearer s3cret\r\n", 200),
            ("X-Api-Key: s3cret\r\n", 200),
        ):
            with dialled(server) as raw:
                say(raw, f"{HEAD}{headers}Content-Length: {len(ASK)}\r\n\r\n".encode() + ASK)
                assert answer(raw)[0] == status
        snapshot = server.stats.snapshot()
    # the first digits of what `printf s3cret | sha256sum` prints
    assert {name: key["requests"] for name, key in snapshot["keys"].items()} == {"1ec1c26b50d5": 2}
    assert "s3cret" not in str(snapshot)
    assert snapshot["refused"] == {"401": 2}
