"""What assistive technology needs of every page: landmarks, names, labels, headings of tables."""

from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from hyperspace.dashboard.views.registry import VIEWS
from tests.support.command import hyperspace, pair
from tests.support.dashboards import Client, dashboard

pytestmark = pytest.mark.long  # plays a run

ONE_EACH = ("h1", "main", "header")


class PageOutline(HTMLParser):
    """What a page consists of.

    Attributes:
        tags: How often each tag is there.
        title: Of the window.
        navigations: What navigations are called.
        problems: What lacks a name or a place.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags = Counter[str]()
        self.title = ""
        self.navigations: list[str] = []
        self.problems: list[str] = []
        self.current = 0
        self._open: list[str] = []
        self._ids: set[str] = set()
        self._role = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one more element."""
        given = {name: value or "" for name, value in attrs}
        self.tags[tag] += 1
        self.current += given.get("aria-current") == "page"
        is_named = bool(given.get("aria-label"))
        if tag == "html" and not given.get("lang"):
            self.problems.append("the page has no language")
        if tag == "nav":
            self.navigations.append(given.get("aria-label", ""))
        if tag == "th" and "scope" not in given:
            self.problems.append("a heading of a table without scope")
        if tag == "svg":
            self._role = given.get("role", "")
            if not (is_named and self._role in ("img", "group")):
                self.problems.append("a drawing without a text in its place")
        if tag == "a" and "svg" in self._open and self._role == "img":
            self.problems.append("a link in an image, which nobody is told of")
        is_field = tag in ("select", "textarea") or (
            tag == "input" and given.get("type") not in ("hidden", "submit")
        )
        if is_field and not (is_named or "label" in self._open):
            self.problems.append(f"a field without a label: {given.get('name')}")
        if "id" in given and given["id"] in self._ids:
            self.problems.append(f"two elements of id {given['id']}")
        self._ids.add(given.get("id", ""))
        if tag not in ("input", "meta", "link", "br", "path", "circle", "polyline"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Note the end of an element."""
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        """Keep the title of the window."""
        if self._open[-1:] == ["title"] and "svg" not in self._open:
            self.title += data


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    results = tmp_path_factory.mktemp("results")
    pair(results, generations=5, seed=42)
    with dashboard(results, tmp_path_factory.mktemp("cache"), steer=True) as client:
        yield client


def page_of(client: Client, path: str) -> str:
    (run,) = client.get("/api/runs").json()["runs"]
    values = {"{run}": run["id"], "{agent}": "magpie", "{generation}": "5"}
    for name, value in values.items():
        path = path.replace(name, value)
    return client.get(path).text


@pytest.mark.parametrize("view", VIEWS, ids=[view.name for view in VIEWS])
def test_every_page_names_its_parts(client: Client, view: object) -> None:
    path = next(each.path for each in VIEWS if each is view)
    text = page_of(client, path)
    outline = PageOutline(text)
    assert not outline.problems
    assert all(outline.tags[tag] == 1 for tag in ONE_EACH), outline.tags
    assert all(outline.navigations)
    assert 'href="#main"' in text and 'id="main"' in text
    if "{run}" in path:
        assert "tinker_vs_magpie/seed42" in outline.title
        assert outline.navigations == ["all runs", "this run"]


def test_the_navigation_marks_the_page_that_is_shown(client: Client) -> None:
    for path in ("/", "/compare", "/search", "/runs/{run}", "/runs/{run}/lineage"):
        assert PageOutline(page_of(client, path)).current == 1, path
    assert PageOutline(page_of(client, "/runs/{run}/diff")).current == 0


@pytest.mark.parametrize("command", ["analyze", "report"])
def test_pages_that_are_files_name_their_parts(
    client: Client, tmp_path: Path, command: str
) -> None:
    file = tmp_path / "page.html"
    hyperspace(command, client.settings.results, "--html", file)
    outline = PageOutline(file.read_text())
    assert not outline.problems
    assert outline.tags["main"] == outline.tags["h1"] == 1
