"""The models of a run: found by name, checked before anything starts, closed at the end."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import msgspec

from agents.models.base import Model
from agents.models.resolve import resolve
from evolution.team import Participant


class Crew(msgspec.Struct, frozen=True):
    """The models behind a run's agents.

    Attributes:
        models: One for each agent, in turn order.
        eval_model: What task agents call; None means each agent's own.
    """

    models: tuple[Model, ...]
    eval_model: Model | None

    @property
    def everyone(self) -> tuple[Model, ...]:
        """Every model, the evaluation model last."""
        return self.models if self.eval_model is None else (*self.models, self.eval_model)

    @property
    def all_offline(self) -> bool:
        """Whether no model needs a network."""
        return all(model.offline for model in self.everyone)

    def participants(self, names: Sequence[str]) -> tuple[Participant, ...]:
        """The agents that these models play."""
        return tuple(
            Participant(name, turn, model, self.eval_model or model)
            for turn, (name, model) in enumerate(zip(names, self.models, strict=True))
        )


def recruit(models: Sequence[str], eval_model: str | None) -> Crew:
    """Find models by name.

    Raises:
        UnknownModel: A name fits nothing.
    """
    return Crew(tuple(map(resolve, models)), None if eval_model is None else resolve(eval_model))


@asynccontextmanager
async def at_work(crew: Crew) -> AsyncGenerator[None]:
    """Check that every model can be reached; close them at the end.

    Raises:
        ModelError: One cannot be reached; says which endpoint.
    """
    async with AsyncExitStack() as stack:
        for model in crew.everyone:
            stack.push_async_callback(model.aclose)
        for model in crew.everyone:
            await model.check()
        yield
