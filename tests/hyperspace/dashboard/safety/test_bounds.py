"""Who sends or reads slowly, much, or often, takes little and keeps nobody waiting."""

import socket
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from hyperspace.dashboard.settings import ConnectionLimits
from tests.support.dashboards import Client, dashboard

SOON = ConnectionLimits(receive_s=0.3, send_s=0.3)
PATIENT = ConnectionLimits(receive_s=600, newcomer_s=600, send_s=600)


@contextmanager
def dialled(client: Client) -> Generator[socket.socket]:
    address = (client.settings.host, client.settings.port)
    with socket.create_connection(address, timeout=60) as raw:
        yield raw


def request(client: Client, path: str = "/", more: str = "") -> bytes:
    host = f"{client.settings.host}:{client.settings.port}"
    cookie = client.session.cookie()
    return f"GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n{more}\r\n".encode()


def rest(raw: socket.socket) -> bytes:
    """Read until the server ends the connection."""
    data = b""
    try:
        while part := raw.recv(65536):
            data += part
    except ConnectionResetError:
        pass
    return data


def test_who_does_not_finish_a_request_is_cut_off(tmp_path: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache", limits=SOON) as client:
        whole = request(client)
        body = request(client, more="Content-Length: 100\r\n") + b"a"
        for sent in (b"", whole[:20], whole[:-2]):
            with dialled(client) as raw:
                raw.sendall(sent)
                assert rest(raw) == b""
        with dialled(client) as raw:  # answered, but what it announced is not waited for
            raw.sendall(body)
            assert rest(raw).startswith(b"HTTP/1.1 200")
        assert client.get("/").status == 200


def test_drops_of_a_head_buy_no_time(tmp_path: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache", limits=SOON) as client, dialled(client) as raw:
        raw.settimeout(0.05)
        ended = False
        while not ended:  # a drop whenever nothing came back for a moment
            try:
                ended = not raw.recv(100)
            except TimeoutError:
                raw.sendall(b"G")
            except ConnectionError:
                ended = True


def test_many_who_wait_keep_nobody_from_an_answer(tmp_path: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache", limits=PATIENT) as client:
        slow = [socket.create_connection((client.settings.host, client.settings.port))
                for _ in range(100)]  # fmt: skip
        for raw in slow:
            raw.sendall(b"GET / HTTP/1.1\r\nX: ")
        assert client.get("/").status == 200
        for raw in slow:
            raw.close()


def test_connections_beyond_the_limit_are_told_so_and_room_comes_back(tmp_path: Path) -> None:
    limits = ConnectionLimits(connections=3, receive_s=600)
    with dashboard(tmp_path, tmp_path / "cache", limits=limits) as client, ExitStack() as stack:
        three = [stack.enter_context(dialled(client)) for _ in range(3)]
        for raw in three:  # each is known to the server
            raw.sendall(request(client))
            assert raw.recv(100).startswith(b"HTTP/1.1 200")
        with dialled(client) as many:
            answer = rest(many)
        assert answer.startswith(b"HTTP/1.1 503") and b"too many connections" in answer
        three[-1].sendall(request(client, more="Connection: close\r\n"))
        rest(three[-1])
        assert client.get("/").status == 200


def test_newcomers_make_room_for_who_comes_after_the_oldest_first(tmp_path: Path) -> None:
    limits = ConnectionLimits(connections=5, receive_s=600, newcomer_s=600)
    with dashboard(tmp_path, tmp_path / "cache", limits=limits) as client, ExitStack() as stack:
        mine = stack.enter_context(dialled(client))
        mine.sendall(request(client))
        assert mine.recv(100).startswith(b"HTTP/1.1 200")
        idle = [stack.enter_context(dialled(client)) for _ in range(20)]
        for _ in range(3):  # each needs a connection of its own
            assert client.get("/").status == 200
        for raw in idle[:16]:
            assert rest(raw) == b""
        mine.sendall(request(client, more="Connection: close\r\n"))
        assert b"HTTP/1.1 200" in rest(mine)


def test_a_flood_of_connections_keeps_nobody_with_the_cookie_out(tmp_path: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache", limits=PATIENT) as client, ExitStack() as stack:
        flood = [stack.enter_context(dialled(client)) for _ in range(300)]
        for raw in flood[::2]:
            with suppress(ConnectionError):  # ended meanwhile
                raw.sendall(b"GET /static/page.css HTTP/1.1\r\nX: ")
        for path in ("/", "/api/runs", "/") * 5:
            assert client.get(path).status == 200


def test_a_newcomer_that_says_nothing_is_cut_off_before_others(tmp_path: Path) -> None:
    limits = ConnectionLimits(newcomer_s=0.3, receive_s=600)
    with dashboard(tmp_path, tmp_path / "cache", limits=limits) as client, ExitStack() as stack:
        mine = stack.enter_context(dialled(client))
        mine.sendall(request(client, more="Content-Length: 1\r\n"))
        assert mine.recv(100).startswith(b"HTTP/1.1 200")
        with dialled(client) as raw:
            raw.sendall(request(client).replace(client.session.cookie().encode(), b"")[:-2])
            assert rest(raw) == b""
        mine.sendall(b"a" + request(client, more="Connection: close\r\n"))
        assert b"HTTP/1.1 200" in rest(mine)


@pytest.mark.long
def test_who_does_not_read_an_answer_is_cut_off(tmp_path: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache", limits=SOON) as client:
        with socket.socket() as raw:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            raw.settimeout(60)
            raw.connect((client.settings.host, client.settings.port))
            with pytest.raises(ConnectionError):
                while True:  # more than fits between it and us; a send that waits fails the test
                    raw.sendall(request(client, "/static/page.css") * 10)
        assert client.get("/").status == 200


def test_a_head_beyond_the_limit_is_refused_whole_or_not(tmp_path: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache") as client:
        assert client.get("/?" + "a" * 20_000).status == 431
        assert client.get("/", {"X": "a" * 20_000}).status == 431
        with dialled(client) as raw:
            raw.sendall(b"GET / HTTP/1.1\r\nX: " + b"a" * 200_000)
            assert rest(raw).startswith(b"HTTP/1.1 431")


def test_a_body_where_none_belongs_is_not_kept(tmp_path: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache") as client:
        assert client.send("GET", "/", body=b"a" * 5_000_000).status == 200
        assert client.send("POST", "/", body=b"a" * 5_000_000).status == 405


def test_what_is_no_http_gets_a_status(tmp_path: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache") as client:
        for sent in (
            b"nonsense\r\n\r\n",
            b"\x16\x03\x01\x02\x00\r\n\r\n",
            b"GET /\xff HTTP/1.1\r\n\r\n",
        ):
            with dialled(client) as raw:
                raw.sendall(sent)
                assert rest(raw).startswith(b"HTTP/1.1 400")
        assert client.get("/").status == 200
