"""`--eval-samples N`: a run on a fixed part of each domain's train and validation items."""

from collections.abc import Collection, Sequence

from hyperspace.kernel.errors import RunUsageError
from hyperspace.kernel.state.rng import stream
from hyperspace.tasks.base import Domain, Samplable, Split


def sampled(domain: Domain, samples: int | None) -> Domain:
    """Cut train and validation down to a number of items; test stays whole.

    Which items is decided by the domain's data and nothing else, so that all runs on `samples`
    items, whatever their seeds, are scored on the same ones; fewer are a part of more.

    Args:
        domain: The whole task.
        samples: How many items of each split, of each domain; None keeps all.

    Raises:
        RunUsageError: The domain cannot be cut down.
    """
    if samples is None:
        return domain
    if not isinstance(domain, Samplable):
        raise RunUsageError(
            f"--eval-samples: the domain {domain.name} has no method `sampled`, so it can only be "
            "used whole (see Samplable in hyperspace/tasks/base.py)"
        )

    def draw(name: str, split: Split, ids: Sequence[str]) -> Collection[str]:
        order = list(ids)
        if split != "test":
            stream(0, "samples", domain.data_sha256, name, split).shuffle(order)
            del order[samples:]
        return order

    return domain.sampled(draw)
