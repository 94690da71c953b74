"""A model that does not answer pauses the run; evolved code is never told of it."""

from typing import NoReturn

from hyperspace.broker.broker import Broker
from hyperspace.kernel.errors import AgentLimited, BudgetSpent, RunLimited, RunPaused
from hyperspace.models.base import (
    BudgetReached,
    FieldRefused,
    LimitReached,
    ModelError,
    ProviderDown,
    QuotaReached,
    RateLimited,
    RepeatedlyMalformed,
    ReplayMismatch,
    ServerRefuses,
)


def raise_if_down(broker: Broker) -> None:
    """Turn what a broker has seen of its model into a pause of the run.

    Raises:
        RunPaused: The model is out of reach, or a limit of the run is reached (`RunLimited`).
        BudgetSpent: The run's terms allow its search no other call.
        ReplayMismatch: This is a replay, and its record holds no answer.
    """
    if broker.outage is not None:
        raise_outage(broker.outage)


def raise_outage(outage: ModelError) -> NoReturn:
    """Turn a model's failure to answer into a pause of the run; raises as `raise_if_down`."""
    if isinstance(outage, ReplayMismatch):
        raise outage
    if isinstance(outage, QuotaReached):
        raise AgentLimited(str(outage))
    if isinstance(outage, BudgetReached):
        raise BudgetSpent(str(outage))
    if isinstance(outage, LimitReached):
        raise RunLimited(str(outage))
    passes = isinstance(outage, ProviderDown | RateLimited)
    is_answer = isinstance(outage, FieldRefused | ServerRefuses | RepeatedlyMalformed)
    raise RunPaused(
        ("" if is_answer else "the model does not answer: ")
        + f"{outage}; nothing is lost, run the same command again "
        + ("when it is back" if passes else "when that is mended"),
        outage,
    )
