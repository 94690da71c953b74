"""All runs below the results folder."""

from dashboard.asked import Asked
from dashboard.pages.parts import link
from dashboard.view import PageContent, View
from reporting.page import table


def render(asked: Asked) -> PageContent:
    """Show every run."""
    places = asked.sources.tree.places()
    rows = [(link(place.name, asked.links.page("runs", place.id)),) for place in places]
    return PageContent("Runs", (table(("run",), rows, caption=f"{len(rows)} runs"),), wide=True)


VIEW = View("runs", "/", render)
