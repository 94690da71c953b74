"""Starting a run and putting it away in a real browser: each is asked once more, and shown."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Dialog, Page

from tests.support.browsers import entered, needs_chromium
from tests.support.dashboards import Client, dashboard
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.browser, needs_chromium]
WAIT_MS = 180_000


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    (tmp_path / "results").mkdir()
    with dashboard(tmp_path / "results", tmp_path / "cache", steer=True) as client:
        yield client


@pytest.fixture
def page(browser: Browser, client: Client) -> Iterator[Page]:
    with entered(browser, client.settings) as page:
        page.set_default_timeout(WAIT_MS)
        yield page


def confirming(page: Page, *, yes: bool) -> list[str]:
    """Answer what is asked once more; returns what was asked."""
    questions: list[str] = []

    def answer(dialog: Dialog) -> None:
        questions.append(dialog.message)
        if yes:
            dialog.accept()
        else:
            dialog.dismiss()

    page.once("dialog", answer)
    return questions


@needs_bubblewrap
def test_a_run_is_started_put_away_and_brought_back(page: Page, client: Client) -> None:
    page.get_by_role("link", name="New run").click()
    form = page.locator("form.act").first
    form.locator("[name=generations]").fill("1")
    form.locator("[name=seed]").fill("7")
    questions = confirming(page, yes=False)
    form.get_by_role("button", name="Start").click()
    form.locator("button:not([disabled])").wait_for()
    assert questions[0].startswith("Start?\nlow: ")
    assert "$0.00" in questions[0]
    assert not [*client.settings.results.iterdir()]
    confirming(page, yes=True)
    form.get_by_role("button", name="Start").click()
    page.wait_for_url("**/runs/*")
    assert page.locator("h1").inner_text() == "repo_quality/tinker_vs_magpie/seed7"
    page.locator("#state", has_text="finished").wait_for()
    page.get_by_text("Put this run away").click()
    questions = confirming(page, yes=True)
    page.get_by_role("button", name="Move to the trash folder").click()
    page.wait_for_url("**/trash")
    assert "tinker_vs_magpie/seed7" in questions[0]
    confirming(page, yes=True)
    page.get_by_role("button", name="Bring back").click()
    page.wait_for_url("**/runs/*")
    page.get_by_role("link", name="Runs").click()
    page.locator("[name=runs]").check()
    confirming(page, yes=True)
    page.get_by_role("button", name="Move the chosen runs").click()
    page.wait_for_url("**/trash")
    assert client.get("/api/runs").json()["total"] == 0


def test_what_is_refused_is_told_in_its_place(page: Page) -> None:
    page.goto("/new")
    form = page.locator("form.act").first
    form.locator("[name=models]").fill("offline/tinker --trust")
    form.get_by_role("button", name="Start").click()
    form.locator("output", has_text="the model '--trust' is not for pages").wait_for()
