"""Pages and JSON about one run below a results folder, each asked for over HTTP."""

from pathlib import Path
from typing import Any

import msgspec

from hyperspace.dashboard.api.registry import ENDPOINTS
from hyperspace.dashboard.links import ServerLinks
from hyperspace.dashboard.results.place import place_of
from hyperspace.dashboard.views.registry import VIEWS
from tests.support.dashboards import dashboard


class Pages:
    """Asks for the pages of one run."""

    def __init__(self, results: Path, run: Path, cache: Path) -> None:
        self._results = results
        self._cache = cache
        self._id = place_of(run, results).id

    def page(self, view: str, agent: str = "", generation: int = 0, **query: str | int) -> str:
        """Return a whole page as HTML; one with a sentence where it cannot be shown.

        Values behind the question mark may end in `_`, where a parameter is called the same.
        """
        path = next(each.path for each in VIEWS if each.name == view)
        return self._ask(path, agent, generation, query)

    def data(self, name: str, agent: str = "", generation: int = 0, **query: str | int) -> Any:
        """Return an answer of the JSON interface in its type, or the sentence in its place."""
        endpoint = next(each for each in ENDPOINTS if each.name == name)
        text = self._ask(endpoint.path, agent, generation, query)
        decoded: dict[str, Any] = msgspec.json.decode(text, type=dict[str, Any])
        if decoded.keys() == {"error"}:
            return decoded["error"]
        kind: Any = endpoint.kind
        return msgspec.convert(decoded, kind)

    def _ask(self, path: str, agent: str, generation: int, query: dict[str, str | int]) -> str:
        values = {"{run}": self._id, "{agent}": agent, "{generation}": str(generation)}
        parts = [values.get(part, part) for part in path.strip("/").split("/")]
        texts = {name.rstrip("_"): value for name, value in query.items()}
        with dashboard(self._results, self._cache) as client:
            return client.get(ServerLinks().page(*parts, **texts)).text
