"""A page that is opened before its run can be read shows the run as soon as it can."""

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from hyperspace.kernel.state.run_not_found import RECORD
from tests.support.browsers import entered, needs_chromium
from tests.support.dashboards import Client, dashboard
from tests.support.hostile.own_run import write_own_run

pytestmark = [pytest.mark.browser, needs_chromium]
SPACE = "space.db"
ALONE = {  # what is there of a run when its page is opened
    "nothing": (),
    "the record": (RECORD,),
    "the space": (SPACE,),
}


@contextmanager
def early_page(browser: Browser, client: Client) -> Generator[Page]:
    (run,) = client.get("/api/runs").json()["runs"]
    with entered(browser, client.settings) as page:
        page.goto(f"/runs/{run['id']}")
        expect(page.locator("#state")).to_have_count(0)
        yield page


def put_back(kept: Path, run: Path) -> None:
    """Put the files of a run into its folder, the record last, as a start does."""
    for path in sorted(kept.iterdir(), key=lambda path: (path.name == RECORD, path.name)):
        if not (run / path.name).exists():
            path.rename(run / path.name)


@pytest.mark.parametrize("there", ALONE.values(), ids=ALONE)
def test_a_run_is_shown_when_its_files_are_there(
    browser: Browser, tmp_path: Path, there: tuple[str, ...]
) -> None:
    run, kept = tmp_path / "results/own/seed7", tmp_path / "kept"
    write_own_run(run).rename(kept)
    run.mkdir()
    for name in there:
        shutil.copy(kept / name, run / name)
    with (
        dashboard(tmp_path / "results", tmp_path / "cache") as client,
        early_page(browser, client) as page,
    ):
        put_back(kept, run)
        expect(page.locator("#state")).to_contain_text("stopped", timeout=30_000)
        assert page.locator("#a0-closed").is_visible()


def test_a_run_that_stays_unreadable_says_why_and_no_connection_was_lost(
    browser: Browser, tmp_path: Path
) -> None:
    run = write_own_run(tmp_path / "results/own/seed7")
    (run / SPACE).unlink()
    with (
        dashboard(tmp_path / "results", tmp_path / "cache") as client,
        early_page(browser, client) as page,
    ):
        page.wait_for_timeout(500)
        expect(page.locator(".note").first).to_contain_text("no space.db")
        assert not page.locator("#plots.away").count()
