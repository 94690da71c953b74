"""A run's page moves while the run is played, and comes back when the server does."""

import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from hyperspace.dashboard.server import serving
from tests.support.browsers import chromium, needs_chromium
from tests.support.dashboards import Client, dashboard
from tests.support.runs.going_on import playing

pytestmark = [pytest.mark.browser, needs_chromium]
COME_BACK_MS = 3_000  # of live.js
PATIENCE_MS = 120_000  # the pair shares the processor with whatever else is tested


def opened(page: Page, client: Client) -> list[str]:
    """Open the page of the only run; returns the errors that come up."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    (run,) = client.get("/api/runs").json()["runs"]
    page.goto(client.settings.entrance)
    page.goto(f"http://127.0.0.1:{client.settings.port}/runs/{run['id']}")
    return errors


def test_curve_arrows_agents_marks_and_spending_move_while_a_pair_plays(tmp_path: Path) -> None:
    results = tmp_path / "results"
    with (
        playing(results, generations=10, seed=42),
        dashboard(results, tmp_path / "c") as client,
        chromium() as browser,
    ):
        page = browser.new_page()
        errors = opened(page, client)
        expect(page.locator("#state")).to_contain_text("playing")
        newest = page.locator("#marks li").first
        first = newest.get_attribute("value") or ""
        expect(page.locator("#a0-closed")).to_have_text(
            re.compile("^[2-9] of 10"), timeout=PATIENCE_MS
        )
        expect(page.locator("#spent")).not_to_have_text(re.compile("^0 calls"))
        expect(newest).not_to_have_attribute("value", first, timeout=PATIENCE_MS)
        expect(page.locator("#plots a.arrow").first).to_be_attached(timeout=PATIENCE_MS)
        expect(page.locator("#state")).to_have_text("finished", timeout=PATIENCE_MS)
        expect(page.locator("#adoptions")).to_have_text("2")
        expect(page.locator("#a1-test")).to_have_text("1.000")
        arrow = page.locator("svg.targets a.arrow").first
        expect(arrow).to_have_attribute("href", re.compile("/adoptions#magpie-5-tinker-4$"))
        expect(arrow.locator("title")).to_contain_text("ratio 0.000")
        expect(page.locator("svg.targets a.point")).to_have_count(22)
        assert not errors


def test_an_arrow_goes_from_the_giver_to_the_taker(tmp_path: Path) -> None:
    results = tmp_path / "results"
    with (
        playing(results, generations=6, seed=42),
        dashboard(results, tmp_path / "c") as client,
        chromium() as browser,
    ):
        page = browser.new_page()
        opened(page, client)
        arrow = page.locator("svg.targets a.arrow").first
        expect(arrow).to_be_attached(timeout=PATIENCE_MS)
        expect(page.locator("#state")).to_have_text("finished", timeout=PATIENCE_MS)
        line = arrow.locator("path:not(.reach):not(.head)").get_attribute("d") or ""
        ends = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", line)]
        for name, generation, (x, y) in (("tinker", 4, ends[:2]), ("magpie", 5, ends[-2:])):
            point = page.locator(f"a.point[href$='{name}/generations/{generation}'] circle")
            assert float(point.get_attribute("cx") or 0) == pytest.approx(x, abs=1)
            assert float(point.get_attribute("cy") or 0) == pytest.approx(y, abs=1)


def test_a_page_goes_on_when_the_server_was_started_anew(tmp_path: Path) -> None:
    results = tmp_path / "results"
    with playing(results, generations=6), chromium() as browser:
        page = browser.new_page()
        with dashboard(results, tmp_path / "c") as client:
            opened(page, client)
            expect(page.locator("#state")).to_contain_text("playing")
        expect(page.locator("#plots.away")).to_be_attached(timeout=PATIENCE_MS)
        with serving(client.settings):  # with the same token, as its cookie is made of that
            expect(page.locator("#plots.away")).not_to_be_attached(timeout=PATIENCE_MS)
            expect(page.locator("#state")).to_have_text("finished", timeout=PATIENCE_MS)


def test_the_page_of_a_run_that_was_removed_says_so_and_asks_no_more(tmp_path: Path) -> None:
    results = tmp_path / "results"
    with (
        playing(results, generations=2),
        dashboard(results, tmp_path / "c") as client,
        chromium() as browser,
    ):
        page = browser.new_page()
        opened(page, client)
        expect(page.locator("#state")).to_have_text("finished", timeout=PATIENCE_MS)
        shutil.rmtree(results / "repo_quality")
        expect(page.locator("#state")).to_contain_text("is gone", timeout=PATIENCE_MS)
        for event in ("pagehide", "pageshow"):  # as one that was left, and is come back to
            page.evaluate("name => dispatchEvent(new Event(name))", event)
        gone = re.compile("^there is no run '[0-9a-f]+' here, or it was removed")
        expect(page.locator("#state")).to_have_text(gone, timeout=PATIENCE_MS)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.wait_for_timeout(2 * COME_BACK_MS)
        assert asked == []
