"""Steering: what was asked of a run and where it took effect, needs, and forms that ask more."""

from hyperspace.dashboard.api.steering import steering
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.view import PageContent, View


def render(question: Question) -> PageContent:
    """Show the steering of a run."""
    present = steering(question)
    is_over = question.sources.followed.overview(question.place).state == "finished"
    can_ask = question.can_steer and not is_over
    agents = [agent.name for agent in question.run().agents] if can_ask else []
    values = {"present": present, "is_over": is_over, "can_ask": can_ask, "agents": agents}
    return PageContent("Steering", "steer.html", values)


VIEW = View("steer", "/runs/{run}/steer", render, label="Steer", of="ours")
