"""The frame of every page: its head, the navigation, what is shown. No style and no script inline.

A page can be read without scripts; those named bring plots, sorting and what is live.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress

from hyperspace.dashboard.errors import NotThere
from hyperspace.dashboard.pages.parts import path_name, shortened
from hyperspace.dashboard.question import Question, why_nothing
from hyperspace.dashboard.view import PageContent, View
from hyperspace.reporting.page import Markup, breakable, escaped, joined, paragraph

ALWAYS = ("keys.js", "tables.js")
COPY = (
    "A copy of the pages of one run, made by hyperspace dashboard --bundle: what is live, "
    "searching and forms are left out."
)
CURRENT = ' aria-current="page"'
COPY_POLICY = "default-src 'none'; style-src 'self' file:; img-src data:"


def document(
    question: Question,
    shown: PageContent,
    views: Iterable[View],
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
    static = question.links.static
    styles = "".join(
        f'<link rel="stylesheet" href="{escaped(static(name))}">\n'
        for name in ("page.css", "dashboard.css", *(() if is_copy else shown.styles))
    )
    scripts = "".join(
        f'<script {_kind(name)} src="{escaped(static(name))}"></script>\n'
        for name in dict.fromkeys((*ALWAYS, *shown.scripts))
    )
    token = escaped(question.change_token)
    changes = f'<meta name="change-token" content="{token}">\n' if token else ""
    policy = note = kind = ""
    if is_copy:
        scripts, note, kind = "", paragraph(COPY), " class=copy"
        policy = f'<meta http-equiv="Content-Security-Policy" content="{COPY_POLICY}">\n'
    run_name = _run_name(question)
    parts = dict.fromkeys((shown.title, shortened(run_name)))
    window = " · ".join(escaped(part) for part in parts if part)
    lead = paragraph(shown.lead) if shown.lead else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<link rel="icon" href="data:,">\n{policy}{changes}'
        f"<title>{window} · hyperspace</title>\n{styles}{scripts}</head>\n<body{kind}>\n"
        '<a class="skip" href="#main">Skip to the content</a>\n'
        f"<header>{_navigation(question, views, current, run_name, is_copy=is_copy)}</header>\n"
        f'<main id="main" tabindex="-1"{" class=wide" if shown.wide else ""}>\n'
        f"<h1>{breakable(shown.title)}</h1>\n{lead}{joined(shown.parts)}{note}</main>\n</body>\n</html>\n"
    )


def _kind(script: str) -> str:
    """Return how a script is loaded; libraries that came along are no modules."""
    return "defer" if script.endswith(".min.js") else 'type="module"'


def _run_name(question: Question) -> str:
    """Return the name of the run that a page is about; empty if it is about none that is there."""
    with suppress(NotThere):
        if "run" in question.path:
            return question.sources.tree.place(question.path["run"]).name
    return ""


def _navigation(
    question: Question,
    views: Iterable[View],
    current: View | None,
    run_name: str,
    *,
    is_copy: bool,
) -> Markup:
    """Return links to the pages about all runs, and below them to those about the run."""
    links = question.links
    of_all = {"runs": ("Runs", links.page())}
    if not is_copy:
        of_all["compare"] = ("Compare", links.page("compare"))
        of_all["search"] = ("Search", links.page("search"))
    here = "" if current is None else current.name
    if not run_name:
        return _links("all runs", of_all, here)
    of_run: dict[str, tuple[str, str]] = {}
    folder = question.sources.tree.place(question.path["run"]).folder
    for view in views:
        if not view.label or why_nothing(folder, view.of):
            continue
        # Parts of the address behind the run's id have no parameters in views with a label.
        below = filter(None, view.path.removeprefix("/runs/{run}").split("/"))
        if view.in_bundle or not is_copy:
            of_run[view.name] = (view.label, links.page("runs", question.path["run"], *below))
    return joined((_links("all runs", of_all, here), _links("this run", of_run, here, run_name)))


def _links(label: str, pages: Mapping[str, tuple[str, str]], here: str, of: str = "") -> Markup:
    """Return a navigation: a label and an address by the name of each view.

    Args:
        label: What is read aloud of it.
        pages: Where it leads.
        here: Name of the view that is shown.
        of: What all of it is about; empty for nothing to say.
    """
    links = [
        f'<a href="{escaped(address)}"{CURRENT * (name == here)}>{escaped(text)}</a>'
        for name, (text, address) in pages.items()
    ]
    about = f'<span class="of">{path_name(of)}</span>' if of else ""
    return Markup(f'<nav aria-label="{label}">{about}{"".join(links)}</nav>\n')
