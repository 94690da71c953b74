"""One run: its agents and how they stand."""

from dashboard.asked import Asked
from dashboard.pages.parts import score
from dashboard.view import PageContent, View
from reporting.page import table


def render(asked: Asked) -> PageContent:
    """Show a run."""
    run = asked.run()
    rows = [
        (agent.name, agent.model, score(agent.best_val), score(agent.test)) for agent in run.agents
    ]
    headings = ("agent", "model", "best validation", "test")
    return PageContent(asked.place.name, (table(headings, rows, caption="Agents", numeric=(2, 3)),))


VIEW = View("run", "/runs/{run}", render, label="Run")
