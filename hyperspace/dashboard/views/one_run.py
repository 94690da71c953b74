"""One run: scores with adoptions as arrows, its agents, what happens now, what it spends."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from hyperspace.dashboard.pages.run_cells import Cell, agent_cells, cells_of, next_command
from hyperspace.dashboard.pages.run_svg import scores_svg
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.reading.curves import COLUMNS, RunCurves, curves_of, metrics
from hyperspace.dashboard.results.followed import FollowedRun
from hyperspace.dashboard.view import PageContent, View
from hyperspace.dashboard.views.research.research_run import research_values
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.runs.files import TextFile
from hyperspace.runs.following.overview import is_ours

_KEYS = ("closed", "val", "best", "at", "test", "adopted", "refused", "calls", "tokens", "usd")


class ShownAgent(NamedTuple):
    """An agent's row: its name, its model, and cells by the ids of their places."""

    name: str
    model: str
    cells: Mapping[str, Cell]


def render(question: Question) -> PageContent:
    """Show a run."""
    if question.is_research():
        values = research_values(question)
        return PageContent(question.place.name, "research_run.html", values)
    curves = curves_of(question)
    columns = max(COLUMNS // 10, COLUMNS // 2 // max(1, len(curves.columns) // 2))
    numbers = metrics(question, curves, ("val", "best"), columns)
    run_id = question.place.id
    values = _published(question, curves) if curves.run is None else _ours(question, curves.run)
    values["scores"] = scores_svg(
        numbers, lambda *parts: question.links.page("runs", run_id, *parts)
    )
    return PageContent(question.place.name, "run.html", values)


def awaiting(question: Question, shown: PageContent) -> PageContent:
    """Return a page that says why a run cannot be read, and opens itself again when it can."""
    events = question.links.page("api", "runs", question.path["run"], "events")
    return shown._replace(values={**shown.values, "events": events})


def _ours(question: Question, run: FollowedRun) -> dict[str, Any]:
    present = run.look()
    config, cells = present.config, cells_of(run, present, question.place.id, question.links)
    agents = [
        ShownAgent(
            name, config.models[at], {f"a{at}-{key}": cells[f"a{at}-{key}"] for key in _KEYS}
        )
        for at, name in enumerate(config.agents)
    ]
    return {
        "present": present,
        "cells": cells,
        "is_over": present.overview.state == "finished",
        "command": next_command(run.folder.root, present.overview),
        "notes": present.notes,
        "may_come": True,
        "agents": agents,
        "task": TextFile(run.folder.task).read(),
    }


def _published(question: Question, curves: RunCurves) -> dict[str, Any]:
    run = question.run()
    agents: list[ShownAgent] = []
    for at, agent in enumerate(run.agents):
        columns = curves.columns[agent.name]
        cells = agent_cells(agent.name, columns, agent.planned, question.place.id, question.links)
        shown = {f"a{at}-{key}": cell for key, cell in cells.items()}
        agents.append(ShownAgent(agent.name, agent.model, shown))
    return {
        "present": None,
        "is_over": False,
        "notes": [f"{told[:1].upper()}{told[1:]}" for told in run.notes],
        # Of a run of ours that cannot be read, or is not there yet, there may be more later.
        "may_come": not run.agents or is_ours(RunFolder(question.place.folder)),
        "agents": agents,
    }


VIEW = View("run", "/runs/{run}", render, label="Run", of="any")
