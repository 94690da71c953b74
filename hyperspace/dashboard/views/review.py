"""Live review: an agent of a run gets an input by hand; the numbers that its code carries."""

from typing import Any

import msgspec

from guards.sandboxes.sandbox import SandboxError
from hyperspace.dashboard.errors import BadQuery
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.view import PageContent, View
from hyperspace.kernel.errors import RunUsageError
from hyperspace.launch.review import confining_sandbox, example_inputs, review_model
from hyperspace.runs.files import TASK
from hyperspace.runs.records import Generation, Run, RunAgent
from hyperspace.runs.weights import numbers_in
from hyperspace.tasks.base import DomainError


def render(question: Question) -> PageContent:
    """Show who can be asked, the form, and what the code consists of."""
    run = question.run()
    agent = _agent(question, run)
    turn = None if agent is None else _turn(question, agent)
    if agent is None or turn is None:
        return PageContent("Live review", "review.html", {"turn": None})
    values: dict[str, Any] = {
        "agents": run.agents,
        "agent": agent.name,
        "turn": turn,
        "generation": question.query.get("generation", ""),
        "file": TASK,
        "weights": numbers_in(turn.task.read() or ""),
    }
    if question.can_steer:
        values |= _form(question, agent)
    return PageContent("Live review", "review.html", values)


def _agent(question: Question, run: Run) -> RunAgent | None:
    """Return the agent that is named, else the best one."""
    name = question.text("agent")
    if not name:
        return run.best_agent
    try:
        return run.agent(name)
    except KeyError:
        raise BadQuery(f"this run has no agent {name[:80]!r}") from None


def _turn(question: Question, agent: RunAgent) -> Generation | None:
    if not question.query.get("generation"):
        return agent.best
    number = question.whole("generation", 0)
    turn = agent.turn(number)
    if turn is None:
        raise BadQuery(f"{agent.name} has no generation {number}")
    return turn


def _form(question: Question, agent: RunAgent) -> dict[str, Any]:
    """Return what the form shows, or why there is none."""
    try:
        sandbox, model = confining_sandbox(), review_model(question.place.folder, agent.name)
    except (SandboxError, RunUsageError) as error:
        return {"problem": str(error)}
    example, why = _example(question)
    return {
        "problem": "",
        "sandbox": sandbox.name,
        "model": model,
        "example": example,
        "why": why,
    }


def _example(question: Question) -> tuple[str, str]:
    """Return an input to begin with, and why there is none, as a sentence."""
    try:
        inputs = example_inputs(question.place.folder)
    except (RunUsageError, DomainError) as error:
        return "{}", f"There is no example of an input: {error}."
    return msgspec.json.format(msgspec.json.encode(inputs), indent=2).decode(), ""


VIEW = View("review", "/runs/{run}/review", render, label="Live review")
