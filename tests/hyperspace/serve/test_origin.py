"""Names that a server answers to, and pages that it does not answer to."""

import http.client
import socket
from collections.abc import Iterator
from contextlib import closing

import pytest

from hyperspace.serve.origin import authorities, is_loopback
from hyperspace.serve.policies import ServedPolicies
from hyperspace.serve.server import ChatServer

ALL = "0.0.0.0"  # noqa: S104  told of, not listened on


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with ChatServer(ServedPolicies.from_specs([])).running() as server:
        yield server


def status(server: ChatServer, method: str, path: str, headers: dict[str, str]) -> int:
    with closing(http.client.HTTPConnection("127.0.0.1", server.server_port)) as connection:
        connection.request(method, path, headers=headers)
        return connection.getresponse().status


@pytest.mark.parametrize(
    ("host", "address", "names"),
    [
        ("127.0.0.1", "127.0.0.1", {"127.0.0.1:80", "127.0.0.1", "localhost:80", "localhost"}),
        ("::1", "::1", {"[::1]:80", "[::1]", "localhost:80", "localhost"}),
        ("10.0.0.5", "10.0.0.5", {"10.0.0.5:80", "10.0.0.5"}),
        ("Box.lan", "10.0.0.5", {"10.0.0.5:80", "10.0.0.5", "box.lan:80", "box.lan"}),
    ],
)
def test_names_of_a_server(host: str, address: str, names: set[str]) -> None:
    assert authorities(host, 80, address) == names


def test_a_server_on_all_addresses_answers_to_the_one_that_it_was_reached_at() -> None:
    name = socket.gethostname().lower()
    assert authorities(ALL, 8000, "10.0.0.5") == {"10.0.0.5:8000", f"{name}:8000"}
    mapped = authorities("::", 8000, "::ffff:127.0.0.1")
    assert mapped == {"127.0.0.1:8000", "localhost:8000", f"{name}:8000"}
    assert "[fe80::1]:8000" in authorities("::", 8000, "fe80::1%eth0")


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_addresses_that_only_this_machine_reaches(host: str) -> None:
    assert is_loopback(host)
    assert not is_loopback(ALL) and not is_loopback("box.lan")


@pytest.mark.parametrize("method", ["GET", "POST", "HEAD", "OPTIONS"])
@pytest.mark.parametrize("path", ["/stats", "/v1/models", "/v1/chat/completions"])
def test_the_model_server_refuses_a_rebound_name(
    server: ChatServer, method: str, path: str
) -> None:
    assert status(server, method, path, {"Host": "evil.example"}) == 421
    assert status(server, method, path, {"Host": "127.0.0.1"}) == 421


def test_the_model_server_refuses_pages_of_other_sites(server: ChatServer) -> None:
    assert status(server, "GET", "/stats", {}) == 200
    assert status(server, "GET", "/stats", {"Host": f"localhost:{server.server_port}"}) == 200
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}, {"Origin": "http://a"}):
        assert status(server, "GET", "/stats", headers) == 403
        assert status(server, "POST", "/v1/chat/completions", headers) == 403
