"""What a reader does with the hands: keys, tables, figures, commands; dark and narrow windows."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browsers import entered, needs_chromium
from tests.support.dashboards import Client, dashboard
from tests.support.hostile.own_run import write_own_run
from tests.support.hostile.published_runs import write_published_run
from tests.support.runs.published_runs import Generation, write_run

pytestmark = [pytest.mark.browser, needs_chromium]
OWN, TALL = "own/seed7", "mix/b/seed2"
CODE = "def answer(item):\n    return item\n"
NARROW_PX = 400


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    results = tmp_path_factory.mktemp("hands") / "results"
    write_own_run(results / OWN)
    write_published_run(results / "published" / "seed1")
    for arm in ("a", "b"):
        for seed in range(1, 5):
            scores = (0.1 * seed, 0.3, 0.2 + 0.1 * seed)
            rows = [Generation(CODE * (at + 1), score) for at, score in enumerate(scores)]
            write_run(results / "mix" / arm / f"seed{seed}", {"one": rows, "=two": rows[::-1]})
    with dashboard(results, tmp_path_factory.mktemp("cache"), steer=True) as client:
        yield client


@pytest.fixture
def page(browser: Browser, client: Client) -> Iterator[Page]:
    """A page that has entered, may use the clipboard, and fails the test on an error."""
    may = ["clipboard-read", "clipboard-write"]
    with entered(browser, client.settings, permissions=may, accept_downloads=True) as page:
        yield page


def address_of(client: Client, name: str) -> str:
    """The address of a run by its name."""
    runs = client.get("/api/runs").json()["runs"]
    return f"/runs/{next(run['id'] for run in runs if run['name'] == name)}"


def clipboard(page: Page) -> str:
    return page.evaluate("navigator.clipboard.readText()")


def test_j_and_k_move_along_rows_and_enter_opens_one(page: Page) -> None:
    for key in "jjk":
        page.keyboard.press(key)
    rows = page.locator("tbody tr")
    expect(rows.nth(0)).to_have_class("current")
    page.keyboard.press("j")
    expect(page.locator("tr.current")).to_have_count(1)
    name = rows.nth(1).locator("a").inner_text()
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs/*")
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def test_a_slash_goes_to_the_search_and_escape_leaves_it(page: Page, client: Client) -> None:
    page.keyboard.press("/")
    expect(page.locator(".search input")).to_be_focused()
    page.keyboard.type("j/k")
    expect(page.locator("tr.current")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator(".search input")).not_to_be_focused()
    page.goto(f"{address_of(client, OWN)}/spending")
    page.keyboard.press("/")
    page.wait_for_url("**/search")


def test_a_question_mark_shows_the_keys(page: Page) -> None:
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("next and previous row")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).not_to_be_visible()


def test_a_table_sorts_and_filters_without_loading_again(page: Page) -> None:
    page.evaluate("window.stays = true")
    column = page.locator("tbody tr td:nth-child(4)")
    for direction in ("ascending", "descending"):
        page.get_by_role("button", name="best val").click()
        expect(page.locator(f"th[aria-sort={direction}]")).to_have_count(1)
        shown = [float(text) for text in column.all_inner_texts() if text != "-"]
        assert shown == sorted(shown, reverse=direction == "descending")
    page.get_by_label("filter rows").fill("mix/b")
    expect(page.locator("tbody tr:visible")).to_have_count(4)
    assert page.evaluate("window.stays")


def test_a_table_is_copied_as_csv_as_it_is_shown(page: Page) -> None:
    page.get_by_label("filter rows").fill("mix/a")
    page.get_by_role("button", name="copy CSV").click()
    headings, *rows = csv.reader(io.StringIO(clipboard(page)))
    assert headings[:2] == ["run", "state"]
    assert [row[0] for row in rows] == [f"mix/a/seed{seed}" for seed in range(1, 5)]


def test_no_cell_of_a_copied_table_is_a_formula(page: Page, client: Client) -> None:
    page.goto(address_of(client, TALL))
    page.get_by_role("button", name="copy CSV").click()
    assert {row[0] for row in csv.reader(io.StringIO(clipboard(page)))} == {"agent", "'=two", "one"}


@pytest.mark.parametrize("below", ["runs", "lineage", "compare", "spending"])
def test_each_figure_is_saved_as_svg_and_its_numbers_as_csv(
    page: Page, client: Client, below: str
) -> None:
    addresses = {
        "runs": address_of(client, TALL),
        "lineage": f"{address_of(client, TALL)}/lineage",
        "compare": "/compare?below=mix",
        "spending": f"{address_of(client, OWN)}/spending",
    }
    page.goto(addresses[below])
    figures = page.locator("figure")
    assert figures.count() or below == "spending"
    for figure in figures.all():
        with page.expect_download() as download:
            figure.get_by_role("button", name="save SVG").click()
        svg = Path(download.value.path()).read_text()
        assert svg.startswith("<svg") and "stroke=" in svg and "data-rows" not in svg
        with page.expect_download() as download:
            figure.get_by_role("button", name="save CSV").click()
        headings, *rows = csv.reader(io.StringIO(Path(download.value.path()).read_text()))
        assert rows and all(len(row) == len(headings) for row in rows)


def test_the_command_that_goes_on_with_a_run_is_copied(page: Page, client: Client) -> None:
    for address in ("/", address_of(client, OWN)):
        page.goto(address)
        for fold in page.locator("summary").all():
            fold.click()
        page.locator(".commands li", has_text=OWN).get_by_role("button", name="copy").click()
        assert re.fullmatch(f"hyperspace resume /.*/{OWN}", clipboard(page))


@pytest.mark.parametrize("name", [OWN, "published/seed1"])
def test_no_page_is_wider_than_a_telephone(page: Page, client: Client, name: str) -> None:
    page.set_viewport_size({"width": NARROW_PX, "height": 800})
    run = address_of(client, name)
    page.goto(run)
    views: list[str] = page.eval_on_selector_all("nav a", "links => links.map((a) => a.href)")
    page.goto(f"{run}/lineage")
    views += page.eval_on_selector_all("svg a", "links => links.map((a) => a.href.baseVal)")[-1:]
    wide = {
        address: width
        for address in (*views, f"{views[-1]}/trace", "/compare?below=mix")
        if page.goto(address)
        and (width := page.evaluate("document.documentElement.scrollWidth")) > NARROW_PX
    }
    assert wide == {}


def test_a_telephone_shows_the_newest_end_of_what_was_spent(page: Page, client: Client) -> None:
    page.set_viewport_size({"width": NARROW_PX, "height": 800})
    page.goto(f"{address_of(client, OWN)}/spending")
    edges = page.evaluate(
        """() => [...document.querySelectorAll("svg.scores")].map((svg) => {
            const box = svg.parentElement.getBoundingClientRect();
            const drawn = svg.getBoundingClientRect();
            return [drawn.width > box.width, Math.round(box.right - drawn.right)];
        })"""
    )
    assert edges
    assert all(is_wider and beyond >= 0 for is_wider, beyond in edges)


def test_pages_are_dark_where_the_reader_wants_it(page: Page, client: Client) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto(address_of(client, TALL))
    expect(page.locator("#scores canvas")).to_be_visible()
    colours: list[str] = page.evaluate(
        """() => [getComputedStyle(document.body).backgroundColor,
            getComputedStyle(document.querySelector("h1")).color]"""
    )
    dark, light = (sum(map(int, re.findall("[0-9]+", each)[:3])) for each in colours)
    assert dark < 3 * 40 < 3 * 200 < light
