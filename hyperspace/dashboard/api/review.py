"""An agent of a run, asked about one input by hand: posted, with `--steer` alone."""

from typing import Any

import msgspec

from guards.sandboxes.sandbox import SandboxError
from hyperspace.dashboard.api.change import AskedChange, ChangeEndpoint
from hyperspace.dashboard.errors import BadQuery
from hyperspace.kernel.errors import RunUsageError
from hyperspace.launch.review import ReviewedAnswer, review
from hyperspace.models.base import ModelError
from hyperspace.tasks.base import DomainError


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
