"""Nothing runs that agents or strangers wrote, wherever they can write, on any page."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, expect

from hyperspace.dashboard.api.registry import ENDPOINTS
from hyperspace.dashboard.bundle.write import write_bundle
from hyperspace.research.loop.folder import ResearchFolder
from hyperspace.research.loop.run import read_research_record
from hyperspace.research.loop.space import working_in
from tests.hyperspace.dashboard.bundle.reading import pages
from tests.support.browsers import needs_chromium
from tests.support.dashboards import Client, dashboard
from tests.support.hostile.own_run import AGENTS, write_own_run
from tests.support.hostile.payloads import BREAKERS, PAYLOADS
from tests.support.hostile.published_runs import write_named_runs, write_published_run
from tests.support.hostile.research_run import IDEAS, under_way, write_research_run
from tests.support.hostile.watching import WatchedPage
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.browser, needs_chromium]
OWN, PUBLISHED, RESEARCH = "own/seed7", "published/seed1", "research/seed7"
RUNS = (OWN, PUBLISHED, RESEARCH)
OF_OURS = ("guard", "marks", "steer", "spending")
FEWEST_PAYLOADS = 60
NAMED_OPENED = 5
MOST_FILES = 15
FIRST_MESSAGE = """(address) => new Promise((done) => {
    new EventSource(address).onmessage = (event) => done(event.data);
})"""


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = tmp_path_factory.mktemp("hostile") / "results"
    write_own_run(results / OWN)
    write_published_run(results / PUBLISHED)
    write_research_run(results / RESEARCH)
    write_named_runs(results)
    return results


@pytest.fixture(scope="module")
def client(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with dashboard(results, tmp_path_factory.mktemp("cache"), steer=True) as client:
        yield client


@pytest.fixture
def watched(browser: Browser, client: Client) -> Iterator[WatchedPage]:
    """A page that has entered, and that fails the test where something happened to it."""
    base = f"http://127.0.0.1:{client.settings.port}"
    with browser.new_context(base_url=base) as context:
        watched = WatchedPage(context.new_page(), base)
        watched.open(f"/?token={client.settings.token}")
        yield watched
        assert watched.events == []


def runs_of(client: Client) -> dict[str, str]:
    """Ids of runs by their names."""
    return {run["name"]: run["id"] for run in client.get("/api/runs").json()["runs"]}


def test_there_are_enough_payloads() -> None:
    assert len(set(PAYLOADS)) == len(PAYLOADS) >= FEWEST_PAYLOADS


def test_names_of_runs_are_text(watched: WatchedPage, client: Client) -> None:
    runs = [number for name, number in runs_of(client).items() if name not in RUNS]
    assert len(runs) >= FEWEST_PAYLOADS
    for number in runs[:: len(runs) // NAMED_OPENED]:
        watched.open(f"/runs/{number}")
    for below in ("/", "/compare", f"/compare?runs={','.join(runs[:20])}", "/search?q=alert"):
        watched.open(below)


@pytest.mark.parametrize("name", [OWN, PUBLISHED])
def test_nothing_runs_on_any_page_of_a_run(watched: WatchedPage, client: Client, name: str) -> None:
    run = f"/runs/{runs_of(client)[name]}"
    kinds, opened = set[str](), list[str]()
    queue = [f"{client.settings.url.rstrip('/')}{run}"]
    while queue:
        address = queue.pop(0)
        if run in address and kind_of(address) not in kinds:
            kinds.add(kind_of(address))
            opened.append(address)
            watched.open(address)
            queue += watched.links()
    views = ("lineage", "adoptions", "review", "search", *OF_OURS * (name == OWN))
    assert all(any(f"{run}/{view}" in address for address in opened) for view in views)
    assert any("/trace" in address for address in opened)


def test_nothing_runs_on_the_pages_of_a_research_run(
    watched: WatchedPage, client: Client, results: Path
) -> None:
    run = f"/runs/{runs_of(client)[RESEARCH]}"
    record = read_research_record(results / RESEARCH)
    folder = ResearchFolder(results / RESEARCH)
    with working_in(folder.space, record.configuration):  # so that what is under way is shown
        folder.now.write_bytes(under_way())
        watched.open(run)
        data: str = watched.page.evaluate(FIRST_MESSAGE, f"/api{run}/events")
        assert "<script>" in data
        expect(watched.page.locator("#now")).to_contain_text("<script>")
        watched.look()
    for below in ("?order=number", *(f"/ideas/{number}" for number in range(IDEAS + 1))):
        watched.open(run + below)
    expect(watched.page.locator("#log")).to_contain_text("<script>")
    words = quote(PAYLOADS[0], safe="")
    for below in (f"/ideas/{words}", f"?order={words}", "/guard", f"/agents/{words}/generations/0"):
        watched.open(run + below)
    for below in ("/ideas", "/ideas/1", "/metrics", ""):
        answer = client.get(f"/api{run}{below}?content=1")
        assert (answer.status, answer.headers["x-content-type-options"]) == (200, "nosniff")
        watched.page.goto(f"/api{run}{below}?content=1")


def kind_of(address: str) -> str:
    """Return an address without what only says which of many is meant."""
    return re.sub("[0-9]+", "0", re.sub("(agents/|=)[^/&]*", r"\1", address))


def test_what_is_live_is_text(watched: WatchedPage, client: Client) -> None:
    run = runs_of(client)[OWN]
    watched.open(f"/runs/{run}")
    data: str = watched.page.evaluate(FIRST_MESSAGE, f"/api/runs/{run}/events")
    assert "<script>" in data
    expect(watched.page.locator("#flight")).to_contain_text("<script>")
    watched.look()


def test_what_stands_in_an_address_is_text(watched: WatchedPage, client: Client) -> None:
    run = f"/runs/{runs_of(client)[OWN]}"
    for payload in (f"{BREAKERS[0]}{BREAKERS[2]}\u202e", PAYLOADS[12]):
        words = quote(payload, safe="")
        for address in (
            *(f"/?search={words}", f"/search?q={words}", f"/runs/{words}", f"/{words}"),
            *(f"{run}/search?q={words}", f"{run}/diff?a={words}&b={words}"),
            *(f"{run}/agents/{words}/generations/1", f"{run}/adoptions?verdict={words}"),
            *(f"{run}/agents/{AGENTS[0]}/generations/1/trace?q={words}", f"/compare?runs={words}"),
            f"{run}/agents/{AGENTS[0]}/generations/1/trace?find={words}",
            f"{run}/agents/{AGENTS[0]}/generations/1?file={words}&against={words}",
            f"{run}/guard?kind={words}&agent={words}",
        ):
            watched.open(address)


def test_answers_as_json_are_no_pages(watched: WatchedPage, client: Client) -> None:
    for name in (OWN, PUBLISHED):
        agent = quote(client.get(f"/api/runs/{runs_of(client)[name]}").json()["agents"][0]["name"])
        for endpoint in ENDPOINTS:
            path = endpoint.path.replace("{run}", runs_of(client)[name]).replace("{agent}", agent)
            path = path.replace("{generation}", "1") + "?content=1&q=alert"
            headers = client.get(path).headers
            assert headers["content-type"].startswith("application/json"), path
            assert headers["x-content-type-options"] == "nosniff", path
            watched.page.goto(path)


@needs_bubblewrap
def test_what_an_agent_answers_in_live_review_is_text(watched: WatchedPage, client: Client) -> None:
    watched.open(f"/runs/{runs_of(client)[OWN]}/review?agent={AGENTS[0]}&generation=1")
    answer = watched.page.locator("output.answer")
    for inputs in ("{}", '{"fails": true}'):
        watched.page.locator("textarea").fill(inputs)
        watched.page.get_by_role("button", name="Ask").click()
        expect(answer).to_contain_text("<script>alert(1)</script>")
        assert "\u202e" not in answer.inner_text()


def test_nothing_runs_in_a_bundle(browser: Browser, results: Path, tmp_path: Path) -> None:
    for name in (OWN, PUBLISHED):
        bundle = tmp_path / name.partition("/")[0]
        write_bundle(results / name, bundle)
        with browser.new_context() as context:
            watched = WatchedPage(context.new_page(), bundle.as_uri())
            for path in islice(pages(bundle), MOST_FILES):
                watched.open((bundle / path).as_uri())
            assert watched.opened == MOST_FILES
            assert watched.events == []
