"""All runs below the results folder: a table to sort, filter and choose from."""

from collections import Counter
from typing import Any, Final

from hyperspace.dashboard.api.runs import PAGE, listed
from hyperspace.dashboard.links import PageLink
from hyperspace.dashboard.pages.run_cells import STATES, next_command
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.view import PageContent, View
from hyperspace.reporting.lines import counted
from hyperspace.runs.trash import TRASH

MOST_COMMANDS: Final = 20


def render(question: Question) -> PageContent:
    """Show a page of runs."""
    runs, tree = listed(question), question.sources.tree
    states = Counter(run.overview.state for run in runs.runs)
    caption = many = counted(runs.total, "run")
    if len(runs.runs) < runs.total:
        caption = f"{runs.first + 1} to {runs.first + len(runs.runs)} of {many}"
    query = {name: question.query[name] for name in ("search", "order") if name in question.query}
    steps = (("previous", runs.first - PAGE), ("next", runs.first + PAGE))
    folders = {place.id: place.folder for place in tree.places()}
    first = [run for run in runs.runs[:MOST_COMMANDS] if run.id in folders]
    commands = (next_command(folders[run.id], run.overview) for run in first)
    values: dict[str, Any] = {
        "search": question.text("search"),
        "results": tree.results,
        "is_folder": tree.results.is_dir(),
        # There is no trash folder before something was put there.
        "has_trash": (tree.results / TRASH).is_dir(),
        "runs": runs.runs if runs.total else (),
        "caption": caption,
        "states": [(state, states[state]) for state in STATES if states[state]],
        "pages": [
            PageLink(label, question.links.page(**query, first=max(at, 0)))
            for label, at in steps
            if -PAGE < at < runs.total and at != runs.first
        ],
        "next_commands": [*filter(None, commands)],
    }
    return PageContent("Runs", "runs.html", values)


VIEW = View("runs", "/", render)
