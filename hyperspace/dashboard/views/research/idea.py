"""One idea of a research run: its words, its diff, every try at it, what its job printed."""

from typing import Any

from hyperspace.dashboard.api.ideas import IdeaTexts, idea_of
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.view import PageContent, View


def render(question: Question) -> PageContent:
    """Show an idea."""
    idea = idea_of(question, with_texts=True)
    values: dict[str, Any] = {
        "record": idea.record,
        "texts": idea.texts or IdeaTexts(),
        "is_last": idea.is_last,
        "artefacts": sorted(idea.artefacts.items()),
    }
    title = f"Idea {idea.number}" if idea.number else "The repository as it is"
    return PageContent(title, "idea.html", values)


VIEW = View("idea", "/runs/{run}/ideas/{idea}", render, of="research")
