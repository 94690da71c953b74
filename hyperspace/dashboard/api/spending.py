"""What a run spent, as JSON: by agent, purpose, model and provider, over time, and its limits."""

import msgspec

from hyperspace.dashboard.api.endpoint import ApiEndpoint
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.results.followed import FollowedRun, Present
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.launch.forecast import Amount
from hyperspace.models.names import split_name
from hyperspace.models.providers import find_provider
from hyperspace.runs.files import read_json
from hyperspace.runs.following.money import Moment
from hyperspace.spending.budget import SpendingLimits, SpendingTotal


class SpentBy(msgspec.Struct, frozen=True):
    """What some calls took.

    Attributes:
        agent: Whose; empty for all.
        purpose: `modify`, `gate`, or the split that was evaluated; empty for all.
        model: Which model was asked; empty for all.
        provider: Who serves it; empty where that is not known.
        total: Sums.
    """

    agent: str = ""
    purpose: str = ""
    model: str = ""
    provider: str = ""
    total: SpendingTotal = msgspec.field(default_factory=SpendingTotal)


class RunForecast(msgspec.Struct, frozen=True):
    """What the whole run was expected to take before it began, with what it took.

    Attributes:
        low: Little work.
        expected: What is usual.
        high: As much as the runtime lets agents ask for.
        fact: What it took.
    """

    low: Amount
    expected: Amount
    high: Amount
    fact: Amount


class AtThisRate(msgspec.Struct, frozen=True):
    """What the whole run takes if the generations to come are like those that are closed.

    Attributes:
        closed: Generations closed, of all agents.
        planned: How many there are to be.
        calls: Calls in the end.
        tokens: Tokens in the end.
        usd: Money in the end; None if a price is not known.
        worked_s: Working time in the end, in seconds.
    """

    closed: int
    planned: int
    calls: int
    tokens: int
    usd: float | None
    worked_s: float


class RunSpending(msgspec.Struct, frozen=True):
    """What a run spent.

    Attributes:
        total: Sums of all settled calls.
        worked_s: Working time on record, in seconds.
        limits: What the run may take.
        in_flight: Calls that wait for an answer.
        reserved_tokens: The most tokens that they can take.
        reserved_usd: The most money that those of known price can take.
        by_agent: By agent and purpose.
        by_model: By model.
        moments: What was spent up to some moments.
        at_this_rate: What it takes in the end; None where it is finished, or nothing is closed.
        forecast: Of a finished run, what was expected; None where it is not finished.
        problem: Why the ledger cannot be read any further; empty if it can.
    """

    total: SpendingTotal
    worked_s: float
    limits: SpendingLimits
    in_flight: int
    reserved_tokens: int
    reserved_usd: float
    by_agent: tuple[SpentBy, ...]
    by_model: tuple[SpentBy, ...]
    moments: tuple[Moment, ...]
    at_this_rate: AtThisRate | None
    forecast: RunForecast | None
    problem: str


class _Summary(msgspec.Struct):
    forecast: RunForecast | None = None


def spending(question: Question) -> RunSpending:
    """Read what the run of the address spent.

    Raises:
        RunUsageError: Another version wrote it.
        RunDamaged: It has lost its space.
        StoreError: Its space cannot be read.
    """
    folder = RunFolder(question.place.folder)
    run = question.followed()
    present = run.look()
    state = run.all_money().state
    summary = read_json(folder.summary, _Summary)
    return RunSpending(
        total=state.spent,
        worked_s=state.worked_s,
        limits=present.terms.limits,
        in_flight=len(state.reserved),
        reserved_tokens=state.reserved_tokens(),
        reserved_usd=state.reserved_usd(),
        by_agent=tuple(
            SpentBy(agent=agent, purpose=purpose, total=total)
            for (agent, purpose), total in sorted(state.by.items())
        ),
        by_model=tuple(
            SpentBy(model=model, provider=provider_of(model), total=total)
            for model, total in sorted(run.money.models.items())
        ),
        moments=tuple(run.money.moments),
        at_this_rate=None if folder.summary.exists() else _at_this_rate(run, present),
        forecast=None if summary is None else summary.forecast,
        problem=run.money.problem,
    )


def provider_of(model: str) -> str:
    """Return who serves a model; the address itself where its name says one."""
    name, url = split_name(model)
    if url:
        return url
    match = find_provider(name.partition("?")[0])
    return name.partition("/")[0] if match is None else match[0].id


def _at_this_rate(run: FollowedRun, present: Present) -> AtThisRate | None:
    """Generation 0 asks for nothing that the others ask for, and does not count."""
    closed = sum(max(len(columns) - 1, 0) for columns in present.columns.values())
    planned = present.overview.planned or 0
    if not closed:
        return None
    spent, share = run.money.state.spent, planned / closed
    return AtThisRate(
        closed=closed,
        planned=planned,
        calls=round(spent.calls * share),
        tokens=round(spent.tokens * share),
        usd=None if spent.unpriced else spent.cost_usd * share,
        worked_s=run.money.state.worked_s * share,
    )


ENDPOINT = ApiEndpoint(
    "spending",
    "/api/runs/{run}/spending",
    spending,
    RunSpending,
    "What a run spent, by whom, for what and when, its limits, and where it leads.",
    of="ours",
)
