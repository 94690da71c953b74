"""Traces, searching, marks and live review in a real browser: nothing fails, and scripts help."""

import json
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.support.browsers import entered, needs_chromium
from tests.support.command import pair
from tests.support.dashboards import Client, dashboard
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.browser, needs_chromium]


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    results = tmp_path_factory.mktemp("results")
    pair(results)
    with dashboard(results, tmp_path_factory.mktemp("cache"), steer=True) as client:
        yield client


@pytest.fixture
def page(browser: Browser, client: Client) -> Iterator[Page]:
    """A page that has entered, and that fails the test where a script or the policy complains."""
    with entered(browser, client.settings) as page:
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        yield page
        assert not complaints


def run_of(client: Client) -> str:
    return client.get("/api/runs").json()["runs"][0]["id"]


def test_a_hit_leads_to_its_line_with_the_words_in_sight(page: Page, client: Client) -> None:
    page.goto(f"/runs/{run_of(client)}/search?q=THRESHOLD")
    page.locator("a[href*='#line-']").first.click()
    page.wait_for_url("**/trace?**#line-*")
    assert page.locator(".call:target mark").first.is_visible()


def test_a_tool_call_unfolds_and_shows_what_was_said(page: Page, client: Client) -> None:
    page.goto(f"/runs/{run_of(client)}/agents/tinker/generations/1/trace")
    call = page.locator("#line-1")
    said = call.locator("details pre").last
    assert not said.is_visible()
    call.locator("summary:has(.tool)").last.click()
    assert said.is_visible()


def test_the_slider_says_where_it_stands_and_goes_there(page: Page, client: Client) -> None:
    page.goto(f"/runs/{run_of(client)}/marks")
    slider = page.locator("input[type=range]")
    slider.focus()
    page.keyboard.press("Home")
    page.wait_for_url("**/marks?at=0")
    assert "right after mark 0" in page.inner_text("main")
    assert page.locator("output").inner_text().strip().startswith("0 of")


@needs_bubblewrap
def test_an_agent_answers_in_the_page(page: Page, client: Client) -> None:
    page.goto(f"/runs/{run_of(client)}/review")
    page.get_by_role("button", name="Ask").click()
    answer = page.locator("output")
    answer.filter(has_text=re.compile("^(accept|reject)$")).wait_for()
    page.locator("textarea").fill(json.dumps({"name": 1})[:-1])
    page.get_by_role("button", name="Ask").click()
    answer.filter(has_text="Nothing was asked").wait_for()


@pytest.mark.parametrize(
    "below", ["search?q=threshold", "marks", "review", "agents/magpie/generations/1/trace"]
)
@pytest.mark.parametrize("width", [400, 1280])
def test_no_page_is_wider_than_its_window(
    page: Page, client: Client, below: str, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"/runs/{run_of(client)}/{below}")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
