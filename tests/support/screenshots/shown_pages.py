"""Which pages are taken, by the names of their pictures, and their addresses."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from hyperspace.dashboard.links import ServerLinks
from hyperspace.dashboard.results.place import place_of
from hyperspace.dashboard.views.registry import VIEWS
from tests.support.screenshots.shown_runs import (
    ARMS,
    DAMAGED,
    FLEET,
    LONG,
    PAIRED,
    PAUSED,
    PLAYING,
    RESEARCH,
    STEERED,
    WAITING,
)


class ShownPage(NamedTuple):
    """A page of the dashboard.

    Attributes:
        view: Name of the view.
        run: Below the results folder; empty for none.
        agent: Of a generation.
        generation: Its number, or that of an idea.
        query: Values behind the question mark, as they stand there.
    """

    view: str
    run: str = ""
    agent: str = "magpie"
    generation: int = 5
    query: Mapping[str, str | int] = {}

    def address(self, results: Path) -> str:
        """Return its address in a dashboard of a results folder."""
        path = next(each.path for each in VIEWS if each.name == self.view)
        values = {
            "{run}": place_of(results / self.run, results).id if self.run else "",
            "{agent}": self.agent,
            "{generation}": str(self.generation),
            "{idea}": str(self.generation),
        }
        parts = [values.get(part, part) for part in path.strip("/").split("/") if part]
        return ServerLinks().page(*parts, **self.query)


LIVE: Final = {
    "run-playing": ShownPage("run", PLAYING),
    "run-waiting": ShownPage("run", WAITING),
    "steer-waiting": ShownPage("steer", WAITING),
    "runs": ShownPage("runs"),
}
_STILL: Final = {
    "compare": ShownPage("compare", query={"below": ARMS}),
    "diff": ShownPage("diff", PAIRED, query={"a": "tinker:3", "b": "magpie:5"}),
    "guard": ShownPage("guard", FLEET),
    "run_search": ShownPage("run_search", PAIRED, query={"q": "strategies"}),
    "search": ShownPage("search", query={"q": "security"}),
    "steer": ShownPage("steer", STEERED),
    "run-damaged": ShownPage("run", DAMAGED),
    "idea": ShownPage("idea", RESEARCH, generation=3),
    "run-research": ShownPage("run", RESEARCH),
    "run-fleet": ShownPage("run", FLEET),
    "run-long": ShownPage("run", LONG),
    "run-paused": ShownPage("run", PAUSED),
    "spending-long": ShownPage("spending", LONG),
    "adoptions-long": ShownPage("adoptions", LONG),
    "lineage-fleet": ShownPage("lineage", FLEET),
    "lineage-long": ShownPage("lineage", LONG),
    "lineage-forked": ShownPage("lineage", STEERED),
    "guard-nothing": ShownPage("guard", PAIRED),
    "generation-failed": ShownPage("generation", FLEET, "crasher", 2),
    "generation-first": ShownPage("generation", PAIRED, "tinker", 0),
    "trace-searched": ShownPage("trace", PAIRED, query={"find": "strategies"}),
    "diff-unnamed": ShownPage("diff", PAIRED),
    "search-unasked": ShownPage("search"),
    "search-nothing": ShownPage("run_search", PAIRED, query={"q": "no such words"}),
    "marks-scope": ShownPage("marks", PAIRED, query={"scope": "strategies"}),
    "marks-earlier": ShownPage("marks", PAIRED, query={"at": 12}),
    "marks-needs": ShownPage("marks", STEERED),
    "steer-nothing": ShownPage("steer", PAIRED),
    "review-fleet": ShownPage("review", FLEET, query={"agent": "crasher"}),
    "compare-folders": ShownPage("compare"),
    "compare-solo": ShownPage("compare", query={"below": "repo_quality/repo_quality"}),
}


def live_pages(results: Path) -> dict[str, str]:
    """Return the addresses of pages that are looked at while a run is played."""
    return {name: page.address(results) for name, page in LIVE.items()}


def still_pages(results: Path) -> dict[str, str]:
    """Return the addresses of one page of each other view, and of some more of them."""
    first = {view.name: ShownPage(view.name, PAIRED) for view in VIEWS if view.name not in LIVE}
    return {name: page.address(results) for name, page in (first | _STILL).items()}
