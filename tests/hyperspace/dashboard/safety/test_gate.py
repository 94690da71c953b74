"""Who is answered: names, sites, methods and the start token, over real HTTP."""

import http.client
import re
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.dashboards import Client, dashboard

METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "PROPFIND")
PLACES = ("/", "/api/runs", "/static/page.css", "/runs/abc", "/nothing")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("results")
    with dashboard(folder, folder / "cache") as client:
        yield client


def stranger(client: Client, path: str, method: str = "GET", **headers: str) -> tuple[int, str]:
    """Ask without a cookie."""
    answer = client.send(method, path, {"Cookie": "", **headers})
    return answer.status, answer.text


# -- 1: binds 127.0.0.1 ------------------------------------------------------------------------


def test_it_listens_on_this_machine_alone_by_default(client: Client) -> None:
    assert client.settings.host == "127.0.0.1"
    with closing(socket.socket()) as probe:
        # Another address of the loopback network reaches what listens on all of them.
        assert probe.connect_ex(("127.0.0.2", client.settings.port))


def test_on_another_host_the_token_stays_on(tmp_path: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache", host="0.0.0.0") as everywhere:  # noqa: S104
        assert stranger(everywhere, "/", Host=f"127.0.0.1:{everywhere.settings.port}")[0] == 403
        host = {"Host": f"127.0.0.1:{everywhere.settings.port}"}
        assert everywhere.get("/", host).status == 200
        assert everywhere.get("/", {"Host": "example.org"}).status == 421


# -- 2: Host -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("path", PLACES)
def test_a_rebound_name_is_refused_first_for_every_method(
    client: Client, method: str, path: str
) -> None:
    for name in ("evil.example", f"evil.example:{client.settings.port}"):
        headers = {"Host": name, "Sec-Fetch-Site": "same-origin"}
        assert client.send(method, path, headers).status == 421


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST"])
def test_the_names_of_this_machine_are_answered_with_the_right_port(
    client: Client, name: str
) -> None:
    port = client.settings.port
    assert client.get("/", {"Host": f"{name}:{port}"}).status == 200
    for wrong in (name, f"{name}:{port + 1}", f"{name}:{port}.evil.example", f"x{name}:{port}"):
        assert client.get("/", {"Host": wrong}).status == 421


def test_the_address_of_ip_6_is_answered(tmp_path: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache", host="::1") as six:
        assert six.get("/", {"Host": f"[::1]:{six.settings.port}"}).status == 200
        assert six.get("/", {"Host": f"[::2]:{six.settings.port}"}).status == 421


def test_a_refusal_does_not_repeat_the_wrong_name(client: Client) -> None:
    answer = client.get("/", {"Host": "evil.example"})
    assert "evil" not in answer.text and f"127.0.0.1:{client.settings.port}" in answer.text


def test_a_request_without_a_host_and_one_with_two_are_refused(client: Client) -> None:
    ours = f"127.0.0.1:{client.settings.port}"
    for head in (b"GET / HTTP/1.0\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"):
        assert status(client, head) in (400, 421)
    both = f"GET / HTTP/1.1\r\nHost: {ours}\r\nHost: evil.example\r\n\r\n"
    assert status(client, both.encode()) == 400


# -- 3: other sites, methods -------------------------------------------------------------------


@pytest.mark.parametrize("site", ["cross-site", "same-site", "", "nonsense"])
def test_pages_of_other_sites_get_nothing(client: Client, site: str) -> None:
    assert client.get("/", {"Sec-Fetch-Site": site}).status == 403
    assert client.get("/static/page.css", {"Sec-Fetch-Site": site}).status == 403


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_our_own_pages_and_the_address_line_get_answers(client: Client, site: str) -> None:
    assert client.get("/", {"Sec-Fetch-Site": site}).status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "", "https://127.0.0.1:{}"])
def test_another_origin_is_refused(client: Client, origin: str) -> None:
    wrong = origin.format(client.settings.port)
    assert client.get("/api/runs", {"Origin": wrong}).status == 403


def test_our_own_origin_is_answered_and_no_answer_has_a_cors_header(client: Client) -> None:
    answer = client.get("/api/runs", {"Origin": f"http://127.0.0.1:{client.settings.port}"})
    assert answer.status == 200
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("method", [name for name in METHODS if name not in ("GET", "HEAD")])
def test_only_reading_methods_are_answered(client: Client, method: str) -> None:
    for path in PLACES:
        answer = client.send(method, path)
        assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")


def test_a_socket_of_the_web_is_no_way_around(client: Client) -> None:
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    headers = upgrade | {"Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA=="}
    assert client.get("/", {**headers, "Host": "evil.example"}).status == 421
    assert client.get("/", headers).status == 200  # as if it had not asked


# -- 4: the start token ------------------------------------------------------------------------


def test_without_the_cookie_there_is_a_page_that_says_how_to_get_in(client: Client) -> None:
    for path in ("/", "/runs/abc", "/nothing"):
        code, text = stranger(client, path)
        assert code == 403
        assert "the address that it printed when it was started" in text
    assert stranger(client, "/static/page.css")[0] == 200  # so that this page can be read


def test_without_the_cookie_data_is_refused_as_json(client: Client) -> None:
    answer = client.get("/api/runs", {"Cookie": ""})
    assert answer.status == 403
    assert "error" in answer.json()


def test_the_token_becomes_a_cookie_and_leaves_the_address(client: Client) -> None:
    token = client.settings.token
    answer = client.get(f"/api/runs?a=1&token={token}&b=%26", {"Cookie": ""})
    assert answer.status == 303
    assert answer.headers["location"] == "/api/runs?a=1&b=%26"
    cookie = answer.headers["set-cookie"]
    value, *attributes = cookie.split("; ")
    assert sorted(attributes) == ["HttpOnly", "Path=/", "SameSite=Strict"]
    assert value.startswith(f"hyperspace_{client.settings.port}=")
    assert token not in cookie
    assert client.get("/api/runs", {"Cookie": value}).status == 200


def test_the_token_lets_another_browser_in_too(client: Client) -> None:
    for _ in range(2):
        answer = client.get(f"/?token={client.settings.token}", {"Cookie": ""})
        assert (answer.status, answer.headers["location"]) == (303, "/")
        assert "set-cookie" in answer.headers


def test_a_wrong_token_opens_nothing_and_leaves_the_address_too(client: Client) -> None:
    token = client.settings.token
    for wrong in ("", token[:-1], token + "x", token.lower(), "%C3%A9", "%00"):
        assert stranger(client, f"/?token={wrong}")[0] == 403
        answer = client.get(f"/?token={wrong}")  # somebody who is inside
        assert (answer.status, answer.headers["location"]) == (303, "/")
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example/", "///evil.example"])
def test_the_way_in_leads_to_no_other_host(client: Client, path: str) -> None:
    location = client.get(f"{path}?token={client.settings.token}").headers["location"]
    assert re.match(r"/[^/\\]", location)


@pytest.mark.parametrize("value", ["", "x", "0" * 64, "é"])
def test_a_wrong_cookie_opens_nothing(client: Client, value: str) -> None:
    cookie = f"hyperspace_{client.settings.port}={value}".encode()
    with closing(connection(client)) as asking:
        asking.putrequest("GET", "/")
        asking.putheader("Cookie", cookie)
        asking.endheaders()
        assert asking.getresponse().status == 403


def test_a_cookie_that_another_server_set_does_not_lock_us_out(client: Client) -> None:
    ours = client.session.cookie()
    name = client.session.cookie_name
    assert client.get("/", {"Cookie": f"a=b; {name}=theirs; {ours}"}).status == 200


def test_the_cookie_of_one_dashboard_does_not_open_another(client: Client, tmp_path: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache") as other:
        value = client.session.cookie().partition("=")[2]
        stolen = f"{other.session.cookie_name}={value}"
        assert other.get("/", {"Cookie": stolen}).status == 403


def test_a_ticket_opens_once(client: Client) -> None:
    ticket = client.session.ticket()
    assert stranger(client, f"/?token={ticket}")[0] == 303
    assert stranger(client, f"/?token={ticket}")[0] == 403


def connection(client: Client) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(client.settings.host, client.settings.port, timeout=60)


def status(client: Client, sent: bytes) -> int:
    """Send bytes as they are; the status of the answer."""
    address = (client.settings.host, client.settings.port)
    with socket.create_connection(address, timeout=60) as raw:
        raw.sendall(sent)
        return int(raw.makefile("rb").readline().split()[1])
