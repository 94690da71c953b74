"""What a view is: an address, and a function from what was asked to what is shown."""

from collections.abc import Callable
from typing import NamedTuple

from hyperspace.dashboard.question import Question, RunKind


class PageContent(NamedTuple):
    """What a view shows.

    Attributes:
        title: Heading and title of the window.
        parts: Markup made by `hyperspace.reporting.page` and `hyperspace.dashboard.pages`, or
            plain text.
        scripts: Modules of ours that the page needs, such as `plots.js`, in their order, and
            libraries that came along (`*.min.js`); it can be read without.
        lead: A sentence below the heading.
        wide: Whether it takes the whole width of the window.
        styles: Style sheets that it needs beside those of every page.
    """

    title: str
    parts: tuple[str, ...]
    scripts: tuple[str, ...] = ()
    lead: str = ""
    wide: bool = False
    styles: tuple[str, ...] = ()


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
