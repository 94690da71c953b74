"""The difference between any two generations, of one agent or of two."""

from typing import Final

from hyperspace.dashboard.pages.addresses import diff_page, generation_page, run_page
from hyperspace.dashboard.pages.code import changes_parts
from hyperspace.dashboard.pages.comparing import file_links, versions_form
from hyperspace.dashboard.pages.facts import facts
from hyperspace.dashboard.pages.parts import link
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.compared import CodeVersion, changes_between, file_of, version
from hyperspace.dashboard.view import PageContent, View, glued
from hyperspace.reporting.lines import score
from hyperspace.reporting.page import Markup, paragraph

MOST_NAMED: Final = 8  # agents in a sentence


def render(question: Question) -> PageContent:
    """Show what differs; without two generations, only the form that takes them."""
    question.run()
    names = question.text("a"), question.text("b")
    if not all(names):
        lead = f"Name two generations, each as AGENT:N{_example(question)}."
        form = versions_form(question, run_page(question, "diff"), names, "")
        return glued("Difference", (form,), lead=lead)
    before, after = (version(question, name) for name in names)
    file = file_of(question, before, after)
    changes = changes_between(before, after, file)
    files = sorted({*before.files(), *after.files()}, key=[*before.files(), *after.files()].index)
    parts = [
        versions_form(question, run_page(question, "diff"), names, file),
        facts((("before", _end(question, before)), ("after", _end(question, after)))),
        file_links(files, file, lambda path: diff_page(question, *names, path)),
        *([paragraph("Neither text can be read.")] if changes is None else changes_parts(changes)),
    ]
    title = f"{file}: {before.name} to {after.name}"
    return glued(title, tuple(parts), wide=True)


def _example(question: Question) -> str:
    """Return what there is to name in this run, as the end of a sentence."""
    last = [
        (each.name, each.generations[-1].generation)
        for each in question.run().agents[:MOST_NAMED]
        if each.name and each.generations
    ]
    return (
        f"; the last ones are {', '.join(f'{name}:{number}' for name, number in last)}"
        if last
        else ""
    )


def _end(question: Question, end: CodeVersion) -> Markup:
    turn = end.turn
    told = f"{end.agent.name} generation {turn.generation}".strip()
    scores = f"{told} (validation {score(turn.val)})"
    return link(scores, generation_page(question, end.agent.name, turn.generation))


VIEW = View("diff", "/runs/{run}/diff", render)
