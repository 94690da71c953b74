"""Starting a run from a form, and what it may take; posted, with `--steer` alone."""

import msgspec

from hyperspace.dashboard.api.change import AskedChange, ChangeEndpoint
from hyperspace.dashboard.results.place import place_of
from hyperspace.dashboard.starting.launch import begin, forecast
from hyperspace.dashboard.starting.request import RunRequest
from hyperspace.launch.forecast import Forecast


class BegunRun(msgspec.Struct, frozen=True):
    """A run that was started.

    Attributes:
        id: What addresses call it.
        name: Its path below the results folder.
        address: Of its page.
        command: The command line that does the same.
        pid: The process that plays it; 0 where it was finished before.
    """

    id: str
    name: str
    address: str
    command: str
    pid: int


def start(change: AskedChange) -> BegunRun:
    """Start a run; see `begin`."""
    question, tree = change.question, change.question.sources.tree
    begun = begin(change.body, tree.results)
    tree.forget()
    where = place_of(begun.runs[0], tree.results)
    address = question.links.page("runs", where.id)
    return BegunRun(where.id, where.name, address, begun.command, begun.pid)


def look_ahead(change: AskedChange) -> Forecast:
    """Say what a run may take; see `forecast`."""
    return forecast(change.body, change.question.sources.tree.results)


START = ChangeEndpoint(
    "start",
    "/api/run",
    start,
    RunRequest,
    BegunRun,
    "Start a run as the command line would; it goes on without the dashboard.",
)
FORECAST = ChangeEndpoint(
    "forecast",
    "/api/run/forecast",
    look_ahead,
    RunRequest,
    Forecast,
    "What a run may take, as --dry-run says; nothing is started.",
)
