"""Links to the records before and after those that a page shows."""

from collections.abc import Mapping

from hyperspace.dashboard.pages.addresses import run_page
from hyperspace.dashboard.pages.facts import separated
from hyperspace.dashboard.pages.parts import link
from hyperspace.dashboard.question import Question
from hyperspace.reporting.page import Markup, paragraph


def pager(
    question: Question, view: str, query: Mapping[str, str | int], first: int, most: int, count: int
) -> Markup:
    """Return links to other parts of a long list; nothing where all of it is shown.

    Args:
        question: What was asked.
        view: Name of the view below its run, empty for the run's own page; `from` in its address is
            the first record shown.
        query: What else stands in the address.
        first: Number of the first record shown, from 0.
        most: Records on one page.
        count: How many there are.
    """
    starts: list[tuple[str, int]] = []
    if first:
        starts.append(("earlier", max(0, first - most)))
    if first + most < count:
        starts.append(("later", first + most))
    below = (view,) if view else ()
    links = [
        link(label, run_page(question, *below, **query, **{"from": start}))
        for label, start in starts
    ]
    return paragraph(separated(links)) if links else Markup("")
