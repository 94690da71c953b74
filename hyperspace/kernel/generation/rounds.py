"""Rounds: who plays in one, when, and on which items a generation is judged."""

from functools import lru_cache

from hyperspace.kernel.evaluation.domain_calls import Calling, fault
from hyperspace.kernel.evaluation.sampling import sampled
from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.ids import logical_time
from hyperspace.tasks.base import Domain
from hyperspace.tasks.shapes.renewable import Renewable


class Rounds:
    """Rounds in which everybody plays, each on the items of its own epoch.

    Args:
        config: The run's.
        domain: The task.

    Attributes:
        share_budget: Whether a budget of calls is that of all agents together, so that it ends the
            run with a round.
    """

    share_budget = False

    def __init__(self, config: RunConfig, domain: Domain) -> None:
        self._config = config
        self._domain = domain

    def in_turn(self, number: int) -> tuple[str, ...]:
        """Return who may play in a round, in order."""
        return self._config.agents

    def time(self, agent: str, number: int) -> float:
        """Return the logical time at which an agent closes a round."""
        return logical_time(number, self._config.turns[agent], len(self._config.agents))

    def answers_items(self, agent: str) -> bool:
        """Return whether an agent's code is judged on items."""
        return True

    def epoch(self, generation: int) -> int:
        """Return a number that is the same for generations with the same validation items."""
        return epoch_of(self._config, generation)

    def domain(self, agent: str, generation: int) -> Domain:
        """Return the task with the items that an agent's generation is judged on."""
        return epoch_domain(self._domain, self._config, generation)

    def domain_shown(self, agent: str, generation: int) -> Domain:
        """Return the task with the train items that are in the workspace of a generation."""
        return self._domain


def epoch_of(config: RunConfig, generation: int) -> int:
    """Return the epoch of validation items in which a generation is judged, from 0."""
    return generation // config.rotate_val if config.rotate_val else 0


def epoch_domain(domain: Domain, config: RunConfig, generation: int) -> Domain:
    """Return a run's task with the validation items of a generation."""
    epoch = epoch_of(config, generation)
    return domain if epoch == 0 else _renewed(domain, epoch, config.eval_samples)


@lru_cache(maxsize=4)
def _renewed(domain: Domain, epoch: int, samples: int | None) -> Domain:
    if not isinstance(domain, Renewable):
        raise TypeError(f"{domain.name} has one set of validation items")
    name = f"epoch {epoch}"
    with Calling(domain.name, "renewed", name):
        renewed, before = domain.renewed(epoch), domain.renewed(epoch - 1)
        items, past = list(renewed.items("val")), list(before.items("val"))
        others = {item.id for split in ("train", "test") for item in renewed.items(split)}
        if items == past or any(item.id in others for item in items):
            raise fault(domain.name, "renewed", name, "gave items that were there before")
        return sampled(renewed, samples)
