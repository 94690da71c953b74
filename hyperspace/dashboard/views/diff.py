"""The difference between any two generations, of one agent or of two."""

from typing import Any, Final

from hyperspace.dashboard.pages.addresses import diff_page
from hyperspace.dashboard.pages.code import change_groups
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.compared import changes_between, file_of, version
from hyperspace.dashboard.view import PageContent, View

MOST_NAMED: Final = 8  # agents in a sentence


def render(question: Question) -> PageContent:
    """Show what differs; without two generations, only the form that takes them."""
    agents = question.run().agents
    names = question.text("a"), question.text("b")
    values: dict[str, Any] = {
        "names": names,
        "agents": [agent.name for agent in agents if agent.name],
        "ends": (),
    }
    if not all(names):
        values["last"] = [
            f"{each.name}:{each.generations[-1].generation}"
            for each in agents[:MOST_NAMED]
            if each.name and each.generations
        ]
        return PageContent("Difference", "diff.html", values)
    before, after = (version(question, name) for name in names)
    file = file_of(question, before, after)
    changes = changes_between(before, after, file)
    files = dict.fromkeys((*before.files(), *after.files()))
    values |= {
        "ends": (before, after),
        "file": file,
        "files": [(path, diff_page(question, *names, path)) for path in files],
        "counts": changes,
        "groups": [] if changes is None else [*change_groups(changes)],
    }
    return PageContent(f"{file}: {before.name} to {after.name}", "diff.html", values)


VIEW = View("diff", "/runs/{run}/diff", render)
