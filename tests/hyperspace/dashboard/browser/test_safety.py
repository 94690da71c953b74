"""What a real browser does with the dashboard: lets nobody else's page in, runs no script."""

import http.server
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser, Page

from hyperspace.dashboard.api.change import AskedChange, ChangeEndpoint
from tests.support.browsers import needs_chromium
from tests.support.dashboards import Client, dashboard

pytestmark = [pytest.mark.browser, needs_chromium]


class Note(msgspec.Struct, frozen=True):
    """What is posted."""

    text: str


def told_back(change: AskedChange) -> dict[str, str]:
    return {"text": change.body.text, "key": change.key}


ECHO = ChangeEndpoint("note", "/api/note", told_back, Note, dict, "Tell it back.")
POST = """async ([address, token, key]) => {
    const answer = await fetch(address, {method: "POST", body: '{"text": "hello"}', headers: {
        "Content-Type": "application/json", "Hyperspace-Change": token, "Idempotency-Key": key}});
    return [answer.status, await answer.json()];
}"""


@contextmanager
def other_site(page_of: str) -> Generator[str]:
    """Serve a page on another port of this machine; yields its address."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page_of.encode())

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  its word
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def inside(browser: Browser, client: Client) -> Page:
    """Open the dashboard as its command says."""
    page = browser.new_context().new_page()
    page.goto(client.settings.entrance)
    return page


def test_the_address_loses_its_token_and_the_cookie_stays(browser: Browser, tmp_path: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache") as client:
        page = inside(browser, client)
        assert page.url == client.settings.url
        assert page.evaluate("document.cookie") == ""
        (cookie,) = page.context.cookies()
        assert (cookie.get("httpOnly"), cookie.get("sameSite")) == (True, "Strict")
        page.goto(client.settings.url)
        assert page.get_by_role("heading", name="Runs").is_visible()


def test_a_browser_without_the_cookie_sees_how_to_get_in(browser: Browser, tmp_path: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache") as client:
        page = browser.new_context().new_page()
        page.goto(client.settings.url)
        assert page.get_by_text("the address that it printed when it was started").is_visible()


@pytest.mark.parametrize(
    "way",
    [
        '<img src="{}">',
        '<script src="{}static/keys.js"></script>',
        '<iframe src="{}"></iframe>',
        '<link rel="stylesheet" href="{}static/page.css">',
    ],
)
def test_a_page_of_another_port_gets_nothing_into_itself(
    browser: Browser, tmp_path: Path, way: str
) -> None:
    with dashboard(tmp_path, tmp_path / "cache") as client:
        page = inside(browser, client)
        with other_site(way.format(client.settings.url)) as address:
            refused: list[int] = []
            ours = client.settings.url
            page.on(
                "response",
                lambda told: refused.append(told.status) if told.url.startswith(ours) else None,
            )
            page.goto(address)
            page.wait_for_load_state("networkidle")
            assert refused in ([403], [])  # or the browser has not even let it through


def test_a_page_of_another_port_can_neither_ask_nor_change(
    browser: Browser, tmp_path: Path
) -> None:
    with dashboard(tmp_path, tmp_path / "cache", (ECHO,), steer=True) as client:
        page = inside(browser, client)
        token = page.locator('meta[name="change-token"]').get_attribute("content")
        with other_site("<p>theirs</p>") as address:
            page.goto(address)
            asks = f"fetch('{client.settings.url}api/runs', {{credentials: 'include'}})"
            assert page.evaluate(f"{asks}.then(() => 'answered', () => 'nothing')") == "nothing"
            posts = [f"{client.settings.url}api/note", token, "0123456789"]
            with pytest.raises(Exception, match="Failed to fetch"):
                page.evaluate(POST, posts)


def test_our_own_page_can_change_with_the_token_that_it_has(
    browser: Browser, tmp_path: Path
) -> None:
    with dashboard(tmp_path, tmp_path / "cache", (ECHO,), steer=True) as client:
        page = inside(browser, client)
        token = page.locator('meta[name="change-token"]').get_attribute("content")
        answer = page.evaluate(POST, ["/api/note", token, "0123456789"])
        assert answer == [200, {"text": "hello", "key": "0123456789"}]
        assert page.evaluate(POST, ["/api/note", "wrong", "1123456789"])[0] == 403


def test_no_script_and_no_style_of_a_page_runs_but_our_files(
    browser: Browser, tmp_path: Path
) -> None:
    with dashboard(tmp_path, tmp_path / "cache") as client:
        page = inside(browser, client)
        script = "const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
        page.evaluate(f"() => {{ try {{ {script} document.body.append(s); }} catch {{}} }}")
        assert page.evaluate("window.ran") is None
        for sink in ("document.body.innerHTML = '<b>x</b>'", "document.write('<b>x</b>')"):
            told = page.evaluate(
                f"() => {{ try {{ {sink}; return 'set'; }} catch (e) {{ return e.name; }} }}"
            )
            assert told == "TypeError"  # trusted types: text is no markup


def test_a_rebound_name_reads_nothing(browser: Browser, tmp_path: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache") as client:
        page = inside(browser, client)
        # A name that leads here, as one would that was rebound: *.localhost is this machine.
        answer = page.goto(f"http://rebound.localhost:{client.settings.port}/")
        assert answer is not None and answer.status == 421


def test_links_from_another_site_do_not_open_it(browser: Browser, tmp_path: Path) -> None:
    with dashboard(tmp_path, tmp_path / "cache") as client:
        page = inside(browser, client)
        with other_site(f'<a href="{client.settings.url}">runs</a>') as address:
            page.goto(address)
            with page.expect_navigation() as going:
                page.get_by_role("link").click()
            assert going.value.status == 403
            assert page.get_by_text("write the address into the browser").is_visible()
