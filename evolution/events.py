"""What a run tells its observers while it moves: typed records, one function to receive them.

An observer must be quick and must not raise. Progress displays are observers; so is the test
harness that kills a coordinator at a chosen position.
"""

from collections.abc import Callable
from typing import Literal

import msgspec

Step = Literal[
    "look", "materialize", "modify", "ingest", "gate", "evaluate", "publish", "commit", "report"
]


class StepReached(msgspec.Struct, frozen=True, tag=True):
    """An agent's generation begins a step; `commit` is the moment right before the transaction."""

    agent: str
    generation: int
    step: Step


class ModelCalled(msgspec.Struct, frozen=True, tag=True):
    """A model's reply is on record.

    Attributes:
        agent: Whose sandbox asked.
        generation: In which generation.
        purpose: `modify`, `gate`, or the split that is evaluated.
        served: True when the reply came from the trace of an earlier attempt, which paid for it.
        cost_usd: Price in US dollars; None when unknown.
        cached: True when the reply came from the cache.
    """

    agent: str
    generation: int
    purpose: str
    served: bool
    cost_usd: float | None
    cached: bool = False


class ReplyGrowing(msgspec.Struct, frozen=True, tag=True):
    """A model has been writing a reply for some time and has not finished it.

    Attributes:
        agent: Whose sandbox asked.
        generation: In which generation.
        purpose: `modify`, `gate`, or the split that is evaluated.
        tokens: How long the reply is so far, estimated.
    """

    agent: str
    generation: int
    purpose: str
    tokens: int


class ItemEvaluated(msgspec.Struct, frozen=True, tag=True):
    """One item of a split has its prediction."""

    agent: str
    generation: int
    split: str
    done: int
    total: int


class GenerationClosed(msgspec.Struct, frozen=True, tag=True):
    """A generation exists: its closing mark is written.

    Attributes:
        agent: Whose.
        generation: Which; 0 is the code that the agent started from.
        valid: Whether it may become a parent.
        train_score: Train score; None when it was not evaluated.
        val_score: Validation score; None when it was not evaluated.
        best_val: Best validation score of the agent so far; None while there is none.
        error: Why it is not valid; empty when it is.
        seconds: Wall time that it took.
        calls: Model calls of the attempt that closed it.
        cost_usd: What they cost; None when a price is unknown.
        resumed: True for the newest one that was found closed at the start of this process; then
            calls and costs are those of the agent in all, from the ledger.
        results_of: Generation with the same code whose results these are; None if it was evaluated.
    """

    agent: str
    generation: int
    valid: bool
    train_score: float | None
    val_score: float | None
    best_val: float | None
    error: str
    seconds: float
    calls: int
    cost_usd: float | None
    resumed: bool = False
    results_of: int | None = None


class PolicyJudged(msgspec.Struct, frozen=True, tag=True):
    """A content policy found something in what an agent wrote.

    Attributes:
        agent: Whose.
        generation: In which generation.
        policy: Which policy.
        path: In which file.
        outcome: `flagged`, `rewritten` or `reverted`.
        count: How many things.
    """

    agent: str
    generation: int
    policy: str
    path: str
    outcome: str
    count: int


class AgentJoined(msgspec.Struct, frozen=True, tag=True):
    """An agent that the principal forked plays from here on.

    Attributes:
        agent: Its name.
        model: Its model, as people write it.
        generations: Number of its last generation.
    """

    agent: str
    model: str
    generations: int


class Notice(msgspec.Struct, frozen=True, tag=True):
    """One line that a person should read."""

    text: str


Event = (
    StepReached
    | ModelCalled
    | ReplyGrowing
    | ItemEvaluated
    | GenerationClosed
    | PolicyJudged
    | AgentJoined
    | Notice
)
Observer = Callable[[Event], None]


def nobody(_event: Event) -> None:
    """Observe nothing: for a run, or a forecast, that nobody follows."""
