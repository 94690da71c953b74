"""What a run tells its observers while it moves: typed records, one function to receive them.

An observer must be quick and must not raise. AgentEffect displays are observers; so is the test
harness that kills a coordinator at a chosen position.
"""

from collections.abc import Callable
from typing import Final, Literal

import msgspec
from msgspec import UNSET, UnsetType

Step = Literal[
    "look", "materialize", "modify", "ingest", "gate", "evaluate", "publish", "commit", "report"
]


Cause = Literal[
    "no_call",
    "not_kept",
    "cut_off",
    "refused",
    "asked_nothing",
    "unchanged",
    "perfect",
    "put_back",
    "meta",
    "gate",
    "evaluation",
    "budget",
    "infrastructure",
]
"""Why a generation came to nothing."""

_SENTENCES: Final[dict[Cause, str]] = {
    "no_call": "called no tool; the model answered in the text",
    "not_kept": "kept none of the code that the model answered with: it could not be used, or was "
    "worse on train",
    "cut_off": "called no tool; the reply was cut off at the limit on its tokens",
    "refused": "got no reply; every request was refused",
    "asked_nothing": "asked the model nothing and changed nothing",
    "unchanged": "called tools and changed nothing",
    "perfect": "changed nothing, and the code that they began with has the best score there is",
    "put_back": "changed what it may not, which was put back",
    "meta": "ended with an error of the meta agent",
    "gate": "failed a gate",
    "evaluation": "failed in the evaluation",
    "budget": "used up the budget of calls",
    "infrastructure": "ended without a reply of the model",
}
_ADVICE: Final[dict[Cause, str]] = {
    "no_call": "try tools=text in the model's name, another --seed-agent, or a larger model "
    "(docs/guide/models.md)",
    "not_kept": "read the answers in {run}/{agent}/gen_{generation}/llm_calls.jsonl; try more of "
    'them (--seed-agent "shown?tries=5"), an easier task or a larger model',
    "cut_off": "raise max_tokens in the model's name, as in MODEL?max_tokens=8000",
    "refused": "hyperspace models --ping MODEL says what is wrong with the model or its key",
    "asked_nothing": "look at meta_agent.py of generation 0; --reset meta starts from the seed's",
    "unchanged": "read what the model did in {run}/{agent}/gen_{generation}/llm_calls.jsonl",
    "perfect": "there is nothing left to gain; play a harder task",
    "put_back": "hyperspace audit {run} lists what was put back, and why",
    "meta": "{run}/{agent}/gen_{generation}/llm_calls.jsonl shows it; --reset meta takes ours",
    "gate": "read the code in {run}/{agent}/gen_{generation}/repo, or try a larger model",
    "evaluation": "read the code in {run}/{agent}/gen_{generation}/repo, or try a larger model",
    "budget": "play it with a larger budget",
    "infrastructure": "hyperspace models --ping MODEL says whether the model answers",
}


class Nothing(msgspec.Struct, frozen=True, kw_only=True):
    """What is said of an agent whose generations came to nothing.

    Attributes:
        generations: How many it made after generation 0.
        valid: How many of them are valid.
        changed: How many have other code than they were forked from.
        cause: The commonest cause, of equals the latest.
        count: How many of them have it.
        latest: The last one of these.
        example: The model's words or the error of that one; empty if it is not on record.
    """

    generations: int
    valid: int
    changed: int
    cause: Cause
    count: int
    latest: int
    example: str

    @property
    def sentence(self) -> str:
        """What happened: how many, the cause, and an example."""
        example = f": {msgspec.json.encode(self.example).decode()}" if self.example else ""
        of = f"{self.count} of {self.generations}"
        noun = "generation" if self.generations == 1 else "generations"
        is_silent = self.cause == "no_call" and not self.example
        sentence = "called no tool and said nothing" if is_silent else _SENTENCES[self.cause]
        return f"{of} {noun} {sentence}{example}"

    def advice(self, run: str, agent: str) -> str:
        """Return what to do about it.

        Args:
            run: The run's folder.
            agent: Whose generations they are.
        """
        return _ADVICE[self.cause].format(run=run, agent=agent, generation=self.latest)


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
        nothing: What is said of an agent whose generations, of which there are some, have come to
            nothing so far; else not set, and absent.
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
    nothing: Nothing | UnsetType = UNSET


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
