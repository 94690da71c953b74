"""A research run: the best score over ideas, what runs now, ideas ranked, what it spends."""

from typing import Any

from hyperspace.dashboard.api.ideas import ORDERS, PAGE, listed_ideas
from hyperspace.dashboard.live.research_cells import cells_of_research
from hyperspace.dashboard.pages.pager import pager
from hyperspace.dashboard.pages.run_cells import next_command
from hyperspace.dashboard.pages.run_svg import scores_svg
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.curves import COLUMNS, curves_of, metrics
from hyperspace.reporting.lines import counted


def research_values(question: Question) -> dict[str, Any]:
    """Return what the page of a research run shows."""
    run, run_id = question.research(), question.place.id
    standing = run.look()
    numbers = metrics(question, curves_of(question), ("val", "best"), COLUMNS)

    def address(*parts: str | int) -> str:
        return question.links.page("runs", run_id, "ideas", parts[-1])

    ideas = listed_ideas(question, with_texts=True)
    order = question.text("order", ORDERS[0])
    caption = many = counted(ideas.total, "closed idea")
    if len(ideas.ideas) < ideas.total:
        caption = f"{ideas.first + 1} to {ideas.first + len(ideas.ideas)} of {many}"
    return {
        "standing": standing,
        "cells": cells_of_research(run, standing, run_id, question.links),
        "is_over": standing.overview.state == "finished",
        "command": next_command(run.folder, standing.overview),
        "problem": run.money.problem,
        "scores": scores_svg(numbers, address, unit="idea"),
        "ideas": ideas.ideas,
        "order": order,
        "caption": caption,
        "pages": pager(question, "", {"order": order}, ideas.first, PAGE, ideas.total),
    }
