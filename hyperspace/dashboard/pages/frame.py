"""The frame of every page: its head, the navigation, what is shown. No style and no script inline.

A page can be read without scripts; those named bring plots, sorting and what is live.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from hyperspace.dashboard.errors import NotThere
from hyperspace.dashboard.links import PageLink
from hyperspace.dashboard.pages.addresses import (
    code_line,
    diff_page,
    generation_page,
    run_page,
    trace_page,
)
from hyperspace.dashboard.pages.calls import (
    call_facts,
    format_field,
    on_one_line,
    pieces,
    start_of,
    told_cost,
    told_seconds,
)
from hyperspace.dashboard.pages.run_cells import (
    duration_text,
    kind_of,
    numbered_names,
    progress_text,
    state_text,
    usd_text,
)
from hyperspace.dashboard.pages.run_svg import spark
from hyperspace.dashboard.question import Question, why_nothing
from hyperspace.dashboard.view import PageContent, View
from hyperspace.reporting.rendering import Templates
from hyperspace.runs.steering import place_text
from replication.report.outputs.html import PACKAGE as OF_ARMS

TEMPLATES: Final = Templates(
    "hyperspace.dashboard",
    OF_ARMS,
    filters={
        "call_facts": call_facts,
        "cost": told_cost,
        "duration": duration_text,
        "field": format_field,
        "kind": kind_of,
        "numbered": numbered_names,
        "on_one_line": on_one_line,
        "pieces": pieces,
        "place": place_text,
        "progress": progress_text,
        "seconds": told_seconds,
        "spark": spark,
        "start": start_of,
        "state": state_text,
        "usd": usd_text,
    },
)
ADDRESSES: Final = (code_line, diff_page, generation_page, run_page, trace_page)
"""What templates write addresses with beside `page` and `static`; they know the question."""


def document(
    question: Question,
    shown: PageContent,
    views: Sequence[View],
    current: View | None = None,
    *,
    is_copy: bool = False,
) -> str:
    """Return a whole HTML document.

    Args:
        question: What was asked; writes the addresses.
        shown: What the view shows.
        views: All of them, for the navigation of a run.
        current: The one that is shown; None for a page that is none of them.
        is_copy: Whether it is a file of a bundle: without scripts, and with a policy of its own.
    """
    run_name = _run_name(question)
    here = "" if current is None else current.name
    return TEMPLATES.render(
        shown.template,
        title=shown.title,
        run_name=run_name,
        view_name=here,
        run_pages=_of_run(question, views, here, is_copy=is_copy) if run_name else (),
        is_copy=is_copy,
        change_token=question.change_token,
        run_id=question.path.get("run", ""),
        page=question.links.page,
        static=question.links.static,
        **{each.__name__: partial(each, question) for each in ADDRESSES},
        **shown.values,
    )


def _run_name(question: Question) -> str:
    """Return the name of the run that a page is about; empty if it is about none that is there."""
    with suppress(NotThere):
        if "run" in question.path:
            return question.sources.tree.place(question.path["run"]).name
    return ""


def _of_run(
    question: Question, views: Sequence[View], here: str, *, is_copy: bool
) -> Iterator[PageLink]:
    folder = question.sources.tree.place(question.path["run"]).folder
    for view in views:
        if not view.label or why_nothing(folder, view.of) or (is_copy and not view.in_bundle):
            continue
        # Parts of the address behind the run's id have no parameters in views with a label.
        below = filter(None, view.path.removeprefix("/runs/{run}").split("/"))
        yield PageLink(view.label, run_page(question, *below), here == view.name)
