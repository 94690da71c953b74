"""At the width of a desk and of a phone nothing of the list of runs is cut, nor what tables are."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from hyperspace.dashboard.views.registry import VIEWS
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.lease import renew
from hyperspace.kernel.state.opening import OpenedRun, new_record, working
from hyperspace.options.fleet import FleetTerms, Member
from tests.support.browsers import entered, needs_chromium
from tests.support.dashboards import Client, dashboard
from tests.support.hostile.own_run import write_own_run
from tests.support.hostile.research_run import write_research_run
from tests.support.runs.published_runs import Generation, write_run

pytestmark = [pytest.mark.browser, needs_chromium]
PLAYED = "repo_quality+imo_grading_of_2026/six_models_with_long_names_against_each_other/seed1234"
MOST_LINES = 3
SEEDS = 4  # with these there are so many rows that they can be filtered
TOO_WIDE = """() => [document.documentElement, ...document.querySelectorAll("main *")]
    .filter((each) => each.clientWidth && each.scrollWidth > each.clientWidth)
    .map((each) => `${each.outerHTML.slice(0, 90)}: ${each.scrollWidth} > ${each.clientWidth}`)"""
OUT_OF_SIGHT = """() => [...document.querySelectorAll("caption")]
    .filter((each) => each.getBoundingClientRect().right > innerWidth)
    .map((each) => each.textContent)"""
UNFOLD = "() => document.querySelectorAll('details').forEach((each) => { each.open = true; })"
LINES = """() => [...document.querySelectorAll("#choose tbody tr")].map((row) => {
    const padding = parseFloat(getComputedStyle(row).paddingTop) * 2;
    return (row.clientHeight - padding) / parseFloat(getComputedStyle(row).lineHeight);
})"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def opened(results: Path) -> Iterator[OpenedRun]:
    """A fleet of six numbered models that is played, as far as anybody who looks can tell."""
    with playing(results / PLAYED) as opened:
        yield opened


@pytest.fixture(scope="module")
def client(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    rows = [Generation("X = 1\n", 0.25), Generation("X = 2\n", 0.5)]
    for seed in range(SEEDS):
        write_run(results / f"published_by_others/seed{seed}", {"one": rows, "two": rows})
    write_research_run(results / "fit_line/search/seed42")
    write_own_run(results / "repo_quality/tinker_vs_magpie/seed7")
    space = write_own_run(results / "repo_quality/damaged/seed1") / "space.db"
    space.write_bytes(space.read_bytes()[:5000])
    cache = tmp_path_factory.mktemp("cache")
    with dashboard(results, cache, steer=True) as client:
        yield client


def playing(folder: Path) -> AbstractContextManager[OpenedRun]:
    config = RunConfig(
        kind="fleet",
        domain="repo_quality?split=of_2026+imo_grading?split=of_2026&language=any",
        data_sha256="",
        models=tuple(f"openrouter/somebody/some-model-{at}.5-large-preview" for at in range(6)),
        agents=tuple(f"some-model-{at}.5-large-preview" for at in range(6)),
        eval_model=None,
        generations=100_000,
        seed=1234,
        fleet=FleetTerms(members=(Member(100_000),) * 6),
    )
    return working(RunFolder(folder), new_record(config, "bubblewrap", ("hyperspace",)))


@pytest.fixture
def page(browser: Browser, client: Client, opened: OpenedRun) -> Iterator[Page]:
    renew(opened.marks.space, opened.heartbeat.lease)  # good for ten seconds
    with entered(browser, client.settings) as page:
        yield page


@pytest.mark.parametrize("width", [1400, 1280, 1024, 768, 390])
def test_the_list_of_runs_is_not_cut(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto("/")
    assert page.locator("#choose tbody tr").count() == 4 + SEEDS
    for state in ("playing", "stopped", "published", "damaged"):
        assert page.locator("#choose td", has_text=state).first.is_visible()
    assert page.evaluate(TOO_WIDE) == []


def test_every_column_has_room_on_a_desk_and_rows_are_low_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 1400, "height": 900})
    page.goto("/")
    assert page.get_by_role("columnheader").count() == page.locator("#choose thead th").count()
    page.set_viewport_size({"width": 390, "height": 900})
    assert max(page.evaluate(LINES)) <= MOST_LINES
    page.get_by_role("searchbox", name="filter rows").fill("seed1234")
    assert [row.is_visible() for row in page.locator("#choose tbody tr").all()].count(True) == 1


@pytest.mark.parametrize("width", [1400, 768, 390])
def test_no_page_scrolls_sideways_and_what_a_table_shows_is_in_sight(
    page: Page, client: Client, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    runs = {run["name"]: run["id"] for run in client.get("/api/runs").json()["runs"]}
    of_runs = [
        view.path.replace("{run}", runs["repo_quality/tinker_vs_magpie/seed7"])
        for view in VIEWS
        if view.label
    ]
    for address in ("/new", "/compare", f"/runs/{runs['fit_line/search/seed42']}", *of_runs):
        page.goto(address)
        page.evaluate(UNFOLD)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, address
        assert page.evaluate(OUT_OF_SIGHT) == [], address
