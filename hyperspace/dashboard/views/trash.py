"""The trash folder: runs that were put away, and their way back."""

import shlex

from hyperspace.dashboard.api.acts.trash import listed
from hyperspace.dashboard.pages.forms import post_form
from hyperspace.dashboard.pages.parts import path_name
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.view import PageContent, View
from hyperspace.reporting.page import folded, note, paragraph, preformatted, table
from hyperspace.runs.trash import TRASH


def render(question: Question) -> PageContent:
    """Show what is in the trash folder."""
    results, runs = question.sources.tree.results, listed(question).runs
    lead = f"Runs that were put away lie whole in {results / TRASH} until somebody removes them."
    if not runs:
        return PageContent("Trash", (note("Nothing is in the trash folder."),), lead=lead)
    address = question.links.page("api", "trash", "restore")
    rows = [
        (
            post_form(address, (), "Bring back", {"entry": run.entry}, about=run.name)
            if question.can_steer
            else "",
            path_name(run.name),
            run.put_away_utc,
        )
        for run in runs
    ]
    lines = [
        f"hyperspace trash --restore {shlex.quote(run.way_back(results))}  # {run.name}"
        for run in runs
    ]
    parts = (
        table(("", "run", "put away (UTC)"), rows, caption="Runs in the trash folder"),
        folded("Commands that bring them back", preformatted("\n".join(lines))),
        paragraph("Nothing is removed for good here; that is for you to do in the folder."),
    )
    return PageContent("Trash", parts, ("actions.js", "tables.js"), lead)


VIEW = View("trash", "/trash", render, in_bundle=False)
