"""Pages and JSON of a results folder without a server, as the bundle makes them."""

from pathlib import Path
from typing import Any

from dashboard.api.registry import ENDPOINTS
from dashboard.app import told
from dashboard.asked import Asked
from dashboard.links import ServerLinks
from dashboard.pages.frame import document
from dashboard.results.tree import ResultsTree, place_of
from dashboard.sources import open_sources
from dashboard.view import PageContent
from dashboard.views.registry import VIEWS


class Pages:
    """Asks for the pages of one run below a results folder."""

    def __init__(self, results: Path, run: Path) -> None:
        self._sources = open_sources(ResultsTree(results), results / ".hyperspace-dashboard")
        self._id = place_of(run, results).id

    def page(self, view: str, agent: str = "", generation: int = 0, **query: str | int) -> str:
        """Return a whole page as HTML, or the sentence in its place.

        Values behind the question mark may end in `_`, where a parameter is called the same.
        """
        asked = self._asked(agent, generation, query)
        render = next(each.render for each in VIEWS if each.name == view)
        _, shown = told(asked, render)
        return document(asked, shown, VIEWS) if isinstance(shown, PageContent) else shown["error"]

    def data(self, endpoint: str, agent: str = "", generation: int = 0, **query: str | int) -> Any:
        """Return an answer of the JSON interface, or the sentence in its place."""
        answer = next(each.answer for each in ENDPOINTS if each.name == endpoint)
        _, shown = told(self._asked(agent, generation, query), answer)
        return shown["error"] if isinstance(shown, dict) else shown

    def _asked(self, agent: str, generation: int, query: dict[str, str | int]) -> Asked:
        path = {"run": self._id, "agent": agent, "generation": str(generation)}
        texts = {name.rstrip("_"): str(value) for name, value in query.items()}
        return Asked(self._sources, path, texts, ServerLinks())
