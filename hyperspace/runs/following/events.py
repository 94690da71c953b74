"""What there is to tell of a run: with `--json` each of these is an object on a line of its own.

`sequence` is the mark that told it, so that `--after` goes on from there.
"""

from typing import Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from hyperspace.launch.growing_replies import GrowingReply
from hyperspace.runs.spent import Spent
from hyperspace.spending.budget import SpendingLimits

State = Literal["waiting", "working", "idle", "finished"]


class TaggedEvent(msgspec.Struct, frozen=True, kw_only=True, tag_field="event"):
    """Something to tell; its tag is told as `event`."""


class RunFound(TaggedEvent, frozen=True, tag="run"):
    """The run is there, or was extended; its fields are as in run_config.json.

    Attributes:
        budgets: Generations of each agent, in turn order.
    """

    run: str
    domain: str
    agents: tuple[str, ...]
    models: tuple[str, ...]
    generations: int
    budgets: tuple[int, ...]
    seed: int
    started_utc: str


class StateChanged(TaggedEvent, frozen=True, tag="state"):
    """Somebody else works on the run now, or nobody, or it is finished.

    Attributes:
        state: `waiting` for the run to begin, `working`, `idle` (nobody works on it: it was
            paused, stopped or killed) or `finished`.
        holder: Who works on it, for people; empty if nobody does.
    """

    state: State
    holder: str = ""


class MarkWritten(TaggedEvent, frozen=True, tag="mark"):
    """A mark appeared in the run's space; its fields are as `hyperspace space marks` tells them.

    Attributes:
        sequence: Its place in the order of commits.
        mark_type: Its type.
        scope: Where it is.
        key: Its topic or resource; empty if it has neither.
        facts: What can be said of it in short.
        text: All of this on one line, for people.
    """

    sequence: int
    mark_type: str
    scope: str
    key: str
    facts: dict[str, Any]
    text: str


class GenerationEnded(TaggedEvent, frozen=True, tag="generation"):
    """A generation, or the final evaluation, was closed; scores are None where there is none.

    Attributes:
        sequence: Of its closing mark.
        agent: Whose.
        generation: Its number, or `test`.
        valid: Whether it may become a parent.
        error: Why not; empty when valid.
        train_score: Score on train.
        val_score: Score on validation.
        test_score: Score on the sealed test split, of the final evaluation alone.
        is_best: Whether its validation score is higher than that of every one before it.
        best_val: The best one's score on the validation items of now; None if there is none.
        calls: Model calls made or served.
        cost_usd: What they cost, in US dollars; None if a price is not known.
        seconds: Wall time of the attempt that closed.
        closed_utc: When.
    """

    sequence: int
    agent: str
    generation: int | Literal["test"]
    valid: bool
    error: str
    train_score: float | None
    val_score: float | None
    test_score: float | None
    is_best: bool
    best_val: float | None
    calls: int
    cost_usd: float | None
    seconds: float
    closed_utc: str


class ViolationFound(TaggedEvent, frozen=True, tag="violation"):
    """The guard refused something, or a policy found something; the fields of `Violation`.

    Attributes:
        sequence: Of the closing mark of its generation.
        agent: Who tried.
        generation: When, or `test`.
        refused: False if it was only flagged.
    """

    sequence: int
    agent: str
    generation: int | Literal["test"]
    refused: bool
    topic: str
    what: str
    path: str
    verdict: str
    reason: str


class Adopted(TaggedEvent, frozen=True, tag="adoption"):
    """An agent adopted a strategy of a peer by the causal rule; the fields of `Adoption`.

    Attributes:
        sequence: Of the closing mark of its generation.
        evidence: Where it was read or spoken of: `file:line` of traces in the run folder.
    """

    sequence: int
    agent: str
    peer: str
    generation: int
    strategy: str
    ratio: float
    score_before: float | None
    score_after: float | None
    peer_lines: int
    valid: bool
    evidence: tuple[str, ...]


class LimitStruck(TaggedEvent, frozen=True, tag="pause"):
    """The run paused at one of its limits.

    Attributes:
        sequence: Of the mark that says so.
        reached: Which limit, with what was spent and reserved.
        stopped_utc: When.
    """

    sequence: int
    reached: str
    stopped_utc: str


class OutageStruck(TaggedEvent, frozen=True, tag="outage"):
    """The run paused because a model did not answer; the fields of `Outage`.

    Attributes:
        sequence: Of the mark that says so.
    """

    sequence: int
    agent: str
    generation: int | Literal["test"]
    call_id: str
    complaint: str
    tries: int
    starts: int
    sentence: str
    paused_utc: str


class Repaired(TaggedEvent, frozen=True, tag="repair"):
    """Files of the run that were lost or changed were made again from its space.

    Attributes:
        sequence: Of the mark that says so.
        problems: Which files, and what was wrong with each; the first 100.
        count: How many.
        repaired_utc: When.
    """

    sequence: int
    problems: tuple[str, ...]
    count: int
    repaired_utc: str


class DomainChanged(TaggedEvent, frozen=True, tag="domain_edit"):
    """A file of code was edited: what comes is made or scored by other code.

    Attributes:
        sequence: Of the mark that says so.
        domain: The domain, as it is named; the file is its code if `extension` is not set.
        sha256: Hash of the file from here on.
        noticed_utc: When.
        extension: The extension that the file is code of.
    """

    sequence: int
    domain: str
    sha256: str
    noticed_utc: str
    extension: str | UnsetType = UNSET


class EndReached(TaggedEvent, frozen=True, tag="end"):
    """The run ended before its last generation, as the person asked for; the fields of `RunEnd`.

    Attributes:
        sequence: Of the mark that says so.
    """

    sequence: int
    reason: Literal["target", "patience"]
    value: float
    closed: int
    ended_utc: str
    agent: str
    generation: int | None
    score: float | None


class NothingSoFar(TaggedEvent, frozen=True, tag="nothing"):
    """The generations of an agent have come to nothing so far; or, with no text, do so no more.

    Attributes:
        sequence: Of the closing mark of its latest one.
        agent: Whose.
        text: How many, with the commonest cause and an example; what to do about it.
    """

    sequence: int
    agent: str
    text: str


class SteeringAsked(TaggedEvent, frozen=True, tag="steering"):
    """The principal asked something of the run.

    Attributes:
        sequence: Of the principal's mark.
        verb: What, as `hyperspace steer` calls it.
        agent: Whom it is about; `all` for everyone.
        text: All of it, in the words of the command line.
    """

    sequence: int
    verb: str
    agent: str
    text: str


class SteeringTaken(TaggedEvent, frozen=True, tag="steering taken"):
    """What the principal asked takes effect.

    Attributes:
        sequence: Of the coordinator's mark.
        agent: At whose look.
        generation: Before which generation, or `test`.
        texts: What, in the words of the command line.
    """

    sequence: int
    agent: str
    generation: int | str
    texts: tuple[str, ...]


class NeedRaised(TaggedEvent, frozen=True, tag="need"):
    """An agent asks the principal something.

    Attributes:
        sequence: Of its mark.
        need: Id of the mark.
        agent: Who asks.
        generation: In which generation.
        question: What; an agent's words.
        blocking: Whether it waits for the answer.
    """

    sequence: int
    need: str
    agent: str
    generation: int
    question: str
    blocking: bool


class NeedAnswered(TaggedEvent, frozen=True, tag="answer"):
    """The principal answered a need.

    Attributes:
        sequence: Of the principal's mark.
        agent: Who asked.
        need: Id of the need.
        text: The answer.
    """

    sequence: int
    agent: str
    need: str
    text: str


class RepliesGrowing(TaggedEvent, frozen=True, tag="replies"):
    """Which replies are still being written has changed, or how long they are.

    Attributes:
        replies: All of them, estimated in tokens; empty when there are none any more.
    """

    replies: tuple[GrowingReply, ...]


class BudgetChanged(TaggedEvent, frozen=True, tag="budget"):
    """Spending of the run, its reservations and its limits; at most one a look.

    Attributes:
        spent: Settled calls of all agents.
        reserved: Upper bounds of calls in flight, and of those whose usage nobody knows.
        by: What each agent took.
        worked_s: Working time on record, in seconds.
        limits: What the run may take.
        latest: The last call that was reserved, as `<agent> gen <n> <purpose>`; empty before one.
    """

    spent: Spent
    reserved: Spent
    by: dict[str, Spent]
    worked_s: float
    limits: SpendingLimits
    latest: str


Event = (
    RunFound
    | StateChanged
    | MarkWritten
    | GenerationEnded
    | ViolationFound
    | Adopted
    | LimitStruck
    | OutageStruck
    | Repaired
    | DomainChanged
    | EndReached
    | NothingSoFar
    | SteeringAsked
    | SteeringTaken
    | NeedRaised
    | NeedAnswered
    | BudgetChanged
    | RepliesGrowing
)
