"""All runs, as JSON."""

import msgspec

from dashboard.api.endpoint import ApiEndpoint
from dashboard.asked import Asked


class ListedRun(msgspec.Struct, frozen=True):
    """A run in the list of all.

    Attributes:
        id: What addresses call it.
        name: Its path below the results folder.
    """

    id: str
    name: str


class RunList(msgspec.Struct, frozen=True):
    """All runs, by name and then by seed."""

    runs: tuple[ListedRun, ...]


def answer(asked: Asked) -> RunList:
    """List every run."""
    return RunList(tuple(ListedRun(place.id, place.name) for place in asked.sources.tree.places()))


ENDPOINT = ApiEndpoint("runs", "/api/runs", answer, RunList, "All runs below the results folder.")
