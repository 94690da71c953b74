"""The frame of every page: its head, the navigation, what is shown. No style and no script inline.

A page can be read without scripts; those named bring plots, sorting and what is live.
"""

from collections.abc import Iterable

from dashboard.question import Question
from dashboard.view import PageContent, View
from reporting.page import Markup, escaped, joined, paragraph

ALWAYS = ("keys.js", "tables.js")
COPY = (
    "A copy of the pages of one run, made by hyperspace dashboard --bundle: what is live, "
    "searching and forms are left out."
)
COPY_POLICY = "default-src 'none'; style-src 'self' file:; img-src data:"


def document(
    question: Question, shown: PageContent, views: Iterable[View], *, is_copy: bool = False
) -> str:
    """Return a whole HTML document.

    Args:
        question: What was asked; writes the addresses.
        shown: What the view shows.
        views: All of them, for the navigation of a run.
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
    title = escaped(shown.title)
    lead = paragraph(shown.lead) if shown.lead else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f'<link rel="icon" href="data:,">\n{policy}{changes}'
        f"<title>{title} · hyperspace</title>\n{styles}{scripts}</head>\n<body{kind}>\n"
        f"{_navigation(question, views, is_copy=is_copy)}"
        f"<main{' class=wide' if shown.wide else ''}>\n"
        f"<h1>{title}</h1>\n{lead}{joined(shown.parts)}{note}</main>\n</body>\n</html>\n"
    )


def _kind(script: str) -> str:
    """Return how a script is loaded; libraries that came along are no modules."""
    return "defer" if script.endswith(".min.js") else 'type="module"'


def _navigation(question: Question, views: Iterable[View], *, is_copy: bool) -> Markup:
    links = [f'<a href="{escaped(question.links.page())}">Runs</a>']
    if not is_copy:
        links.append(f'<a href="{escaped(question.links.page("compare"))}">Compare</a>')
    run = question.path.get("run")
    if run is None and not is_copy:
        links.append(f'<a href="{escaped(question.links.page("search"))}">Search</a>')
    if run is not None:
        for view in views:
            # Parts of the address behind the run's id have no parameters in views with a label.
            below = view.path.removeprefix("/runs/{run}").strip("/")
            if view.label and (view.in_bundle or not is_copy):
                address = question.links.page("runs", run, *filter(None, below.split("/")))
                links.append(f'<a href="{escaped(address)}">{escaped(view.label)}</a>')
    return Markup(f'<nav aria-label="views">{"".join(links)}</nav>\n')
