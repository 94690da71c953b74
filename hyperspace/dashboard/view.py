"""What a view is: an address, and a function from what was asked to what is shown."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from hyperspace.dashboard.question import Question, RunKind


class PageContent(NamedTuple):
    """What a view shows.

    Attributes:
        title: Heading and title of the window.
        template: Name of its template, which also says which scripts and styles it needs.
        values: What the template shows.
    """

    title: str
    template: str
    values: Mapping[str, Any]


class View(NamedTuple):
    """A view.

    Attributes:
        name: In one word; also what its tests and its screenshots are called.
        path: Its address with parameters in braces, such as `/runs/{run}`; the parameters are
            `run` (an id), `agent` (a name), `generation` (a number) and others of its own.
        render: Reads and draws; called in a thread.
        label: What it is called in the navigation of a run; empty if it does not stand there.
        in_bundle: Whether it says something without a server, and of one run alone.
        of: What it is about; it stands in the navigation of runs that can have something of it.
    """

    name: str
    path: str
    render: Callable[[Question], PageContent]
    label: str = ""
    in_bundle: bool = True
    of: RunKind = "agents"
