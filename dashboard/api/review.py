"""An agent of a run, asked about one input by hand: posted, with `--steer` alone."""

from typing import Any

import msgspec

from agents.models.base import ModelError
from dashboard.api.change import AskedChange, ChangeEndpoint
from dashboard.errors import BadQuery
from domains.base import DomainError
from evolution.errors import RunUsageError
from evolution.launch.review import ReviewedAnswer, review
from guards.sandboxes.sandbox import SandboxError


class ReviewQuestion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an agent is asked.

    Attributes:
        agent: Whose code answers.
        inputs: What it gets.
        generation: Which generation of it; None for its best.
        ask_model: Whether its code may ask its model, which may cost money.
    """

    agent: str
    inputs: dict[str, Any]
    generation: int | None = None
    ask_model: bool = False


def change(change: AskedChange) -> ReviewedAnswer:
    """Let the agent answer.

    Raises:
        BadQuery: It cannot; says why.
    """
    question: ReviewQuestion = change.body
    try:
        return review(
            change.question.place.folder,
            question.agent,
            question.generation,
            question.inputs,
            ask_model=question.ask_model,
        )
    except (RunUsageError, DomainError, SandboxError, ModelError) as error:
        raise BadQuery(str(error)) from error


CHANGE = ChangeEndpoint(
    "review",
    "/api/runs/{run}/review",
    change,
    ReviewQuestion,
    ReviewedAnswer,
    "The answer of an agent of this run to one input; its code runs in a sandbox.",
)
