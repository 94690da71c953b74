"""The trash folder: runs that were put away, and their way back."""

import shlex

from hyperspace.dashboard.api.acts.trash import listed
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.view import PageContent, View
from hyperspace.runs.trash import TRASH


def render(question: Question) -> PageContent:
    """Show what is in the trash folder."""
    results, runs = question.sources.tree.results, listed(question).runs
    commands = (
        f"hyperspace trash --restore {shlex.quote(run.way_back(results))}  # {run.name}"
        for run in runs
    )
    values = {"trash": results / TRASH, "runs": runs, "commands": "\n".join(commands)}
    return PageContent("Trash", "trash.html", values)


VIEW = View("trash", "/trash", render, in_bundle=False)
