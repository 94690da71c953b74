"""The models of a run: found by name, checked before anything starts, closed at the end."""

from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from functools import partial

import msgspec

from hyperspace.kernel.generation.run_context import Participant
from hyperspace.lookup.resolve import resolve
from hyperspace.models.base import Model
from hyperspace.models.policy.retrying import PATIENCE, Patience
from hyperspace.offline.registry import is_hostile
from hyperspace.spending.metered import prices_needed
from hyperspace.spending.prices import PriceTable


class RunModels(msgspec.Struct, frozen=True):
    """The models behind a run's agents.

    Attributes:
        models: One for each agent, in turn order.
        eval_model: What task agents call; None means each agent's own.
        judge: What grades answers; None where the task needs no judge.
        reviewer: What reviews each try; None means the agent itself, or that nobody does.
    """

    models: tuple[Model, ...]
    eval_model: Model | None
    judge: Model | None = None
    reviewer: Model | None = None

    @property
    def everyone(self) -> tuple[Model, ...]:
        """Every model, those that are not behind an agent last."""
        return (*self.models, *filter(None, (self.eval_model, self.judge, self.reviewer)))

    @property
    def all_offline(self) -> bool:
        """True if no model needs a network."""
        return all(model.offline for model in self.everyone)

    @property
    def hostile(self) -> tuple[str, ...]:
        """Names of models that are offline policies which try what an agent must not."""
        return tuple(model.name for model in self.everyone if is_hostile(model.name))

    def participants(self, names: Sequence[str]) -> tuple[Participant, ...]:
        """The agents that these models play."""
        return tuple(
            Participant(name, turn, model, self.eval_model or model)
            for turn, (name, model) in enumerate(zip(names, self.models, strict=True))
        )


def resolve_models(
    models: Sequence[str],
    eval_model: str | None,
    patience: Patience = PATIENCE,
    keys_to: Collection[str] | None = None,
    judge: str | None = None,
    reviewer: str | None = None,
    *,
    connect: bool = True,
) -> RunModels:
    """Find models by name.

    Args:
        models: As people write them, one for each agent.
        eval_model: What task agents call; None means each agent's own.
        patience: How long to go on asking when one fails.
        keys_to: The addresses in names that a key is sent to; None for all of them.
        judge: What grades answers; None for nothing.
        reviewer: What reviews each try; None for the agent itself, or for nothing.
        connect: Whether they are to be asked; a forecast needs no key.

    Raises:
        UnknownModel: A name fits nothing.
        AuthFailed: A model needs a key and there is none.
    """
    find = partial(resolve, patience=patience, keys_to=keys_to, connect=connect)
    others = (None if name is None else find(name) for name in (eval_model, judge, reviewer))
    return RunModels(tuple(map(find, models)), *others)


@asynccontextmanager
async def at_work(run_models: RunModels, prices: PriceTable | None) -> AsyncGenerator[None]:
    """Check that every model can be reached; close them at the end.

    Args:
        run_models: The models.
        prices: Where each of them must have a price; None if none needs one.

    Raises:
        UnknownPrice: A model has no price and needs one.
        ModelError: One cannot be reached; says which endpoint.
    """
    async with AsyncExitStack() as stack:
        for model in run_models.everyone:
            stack.push_async_callback(model.aclose)
        with nullcontext() if prices is None else prices_needed(prices):
            for model in run_models.everyone:
                await model.check()
        yield
