"""All runs, as JSON: a page of them at a glance."""

from typing import Final

import msgspec

from hyperspace.dashboard.api.endpoint import ApiEndpoint
from hyperspace.dashboard.errors import BadQuery
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.results.place import RunPlace
from hyperspace.runs.following.overview import RunOverview

PAGE: Final = 200  # runs on a page, and the most that are listed at once
ORDERS: Final = ("name", "newest")


class ListedRun(msgspec.Struct, frozen=True):
    """A run in the list of all.

    Attributes:
        id: What addresses call it.
        name: Its path below the results folder.
        overview: It at a glance.
    """

    id: str
    name: str
    overview: RunOverview


class RunList(msgspec.Struct, frozen=True):
    """Runs in the order that was asked for.

    Attributes:
        total: How many there are.
        first: Number of the first one listed, from 0.
        runs: Some of them.
    """

    total: int
    first: int
    runs: tuple[ListedRun, ...]


def listed(question: Question) -> RunList:
    """List runs.

    Raises:
        BadQuery: There is no such order.
    """
    search, order = question.text("search").lower(), question.text("order", "name")
    if order not in ORDERS:
        raise BadQuery(f"order={order[:40]!r} is none of {', '.join(ORDERS)}")
    places = [place for place in question.sources.tree.places() if search in place.name.lower()]
    if order == "newest":
        places.sort(key=_changed_ns, reverse=True)
    first = question.whole("first", 0)
    shown = places[first : first + question.whole("count", PAGE, PAGE)]
    followed = question.sources.followed
    runs = tuple(ListedRun(each.id, each.name, followed.overview(each)) for each in shown)
    return RunList(len(places), first, runs)


def _changed_ns(place: RunPlace) -> int:
    try:
        return place.folder.stat().st_mtime_ns
    except OSError:
        return 0


ENDPOINT = ApiEndpoint(
    "runs",
    "/api/runs",
    listed,
    RunList,
    "Runs below the results folder, each at a glance.",
    (
        ("search", "Only runs with this in their name."),
        ("order", "`name` (and then seed), or `newest` first; by name if not given."),
        ("first", "Number of the first one listed; 0 if not given."),
        ("count", f"How many at most, up to {PAGE}."),
    ),
)
