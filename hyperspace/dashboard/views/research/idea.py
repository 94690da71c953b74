"""One idea of a research run: its words, its diff, every try at it, what its job printed."""

from collections.abc import Iterator
from typing import Final

from hyperspace.dashboard.api.ideas import IdeaTexts, idea_of
from hyperspace.dashboard.pages.addresses import run_page
from hyperspace.dashboard.pages.facts import PagePart, contents, facts, separated
from hyperspace.dashboard.pages.parts import link, named
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.view import PageContent, View, glued
from hyperspace.reporting.page import (
    Markup,
    folded,
    marked,
    note,
    paragraph,
    preformatted,
    said,
    table,
)

MOST_WORDS: Final = 8_000
MOST_DIFF: Final = 200_000
MOST_LOG: Final = 70_000
MOST_TRIES: Final = 20
GOOD: Final = "done"


def render(question: Question) -> PageContent:
    """Show an idea."""
    idea = idea_of(question, with_texts=True)
    texts = idea.texts or IdeaTexts()
    below = [
        PagePart("words", "In words", preformatted(said(texts.text, MOST_WORDS))),
        PagePart("diff", "Diff from the repository as it is", _code(texts.diff)),
        *_tries(texts),
        PagePart(
            "log",
            "Log",
            paragraph("What its job printed, at its end; shown to people, and never believed."),
            preformatted(said(texts.log, MOST_LOG)) if texts.log else note("It printed nothing."),
        ),
    ]
    if idea.artefacts:
        rows = [(named(path), sha256) for path, sha256 in sorted(idea.artefacts.items())]
        shown = table(("file", "SHA-256"), rows, caption="By content")
        below.append(PagePart("artefacts", "Artefacts", shown))
    links = [link("all ideas", run_page(question))]
    if number := idea.number:
        links.append(link(f"← idea {number - 1}", run_page(question, "ideas", number - 1)))
    if not idea.is_last:
        links.append(link(f"idea {number + 1} →", run_page(question, "ideas", number + 1)))
    parts = [
        paragraph(separated(links)),
        _facts(question),
        *([note(said(texts.reason, MOST_WORDS))] if texts.reason else []),
        contents(below),
        *(part.shown() for part in below),
    ]
    title = f"Idea {idea.number}" if idea.number else "The repository as it is"
    return glued(title, tuple(parts), wide=True)


def _facts(question: Question) -> Markup:
    idea = idea_of(question, with_texts=True).record
    parent = Markup("")
    if idea.number:
        what = f"idea {idea.parent}" if idea.parent else "the repository as it is"
        parent = link(what, run_page(question, "ideas", idea.parent))
    shown = [link(f"{number}", run_page(question, "ideas", number)) for number in idea.shown[:50]]
    state = marked(idea.state, "good" if idea.state == GOOD else "bad")
    return facts(
        (
            ("state", state),
            ("score", "-" if idea.score is None else f"{idea.score}"),
            ("rank", "" if idea.rank is None else f"{idea.rank}"),
            ("epoch", f"{idea.epoch}"),
            ("kind", idea.kind),
            ("changes", parent),
            ("was shown", separated(shown, ", ") if shown else ""),
            ("had by", named(idea.model) if idea.model else ""),
            ("CPU seconds of its jobs", f"{idea.cpu_s:g}"),
            ("counted by", idea.cpu_by),
        )
    )


def _code(diff: str) -> Markup:
    return preformatted(diff[:MOST_DIFF]) if diff else note("No diff passed, or nothing changed.")


def _tries(texts: IdeaTexts) -> Iterator[PagePart]:
    """Every diff that its model gave, with what it was told; one that passed at once is above."""
    if len(texts.tries) < 2 and not any(each.gate for each in texts.tries):
        return
    parts: list[str] = []
    for at, each in enumerate(texts.tries[:MOST_TRIES], 1):
        told = f"refused ({each.gate}): " if each.gate else "passed"
        parts.append(paragraph(f"Try {at}: {told}", said(each.why, MOST_WORDS)))
        parts.append(folded(f"Diff of try {at}", _code(each.diff)))
    yield PagePart("tries", "Tries", *parts)


VIEW = View("idea", "/runs/{run}/ideas/{idea}", render, of="research")
