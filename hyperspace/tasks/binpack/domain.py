"""Builds the bin-packing domain and plays answers on sealed instances."""

from collections.abc import Mapping, Sequence
from typing import Literal, Self

import msgspec

from hyperspace.tasks.base import SPLITS, Item, Split
from hyperspace.tasks.binpack.score import (
    CAPACITIES,
    CPU_S,
    INSTANCES,
    TRAIN_LAWS,
    Law,
    draw_sizes,
    excess,
    grade,
    read_policy,
)
from hyperspace.tasks.graded import GradedDomain
from hyperspace.tasks.options import RowsSeed, generated
from hyperspace.tasks.package_files import seed_files, task_files
from hyperspace.tasks.shapes.limited import AnswerLimits
from hyperspace.tasks.shapes.outcome import Outcome
from hyperspace.tasks.streams import stream

SAMPLE = 200  # sizes that are shown
_WEIBULL, _UNIFORM = TRAIN_LAWS["weibull"], TRAIN_LAWS["uniform"]
_LEARNING = (_WEIBULL,) * 4 + (_UNIFORM,) * 2
_SEALED = (
    *(_WEIBULL._replace(scale=scale) for scale in (40, 40, 50, 50)),
    *(_WEIBULL._replace(length=5000),) * 2,
    *(_UNIFORM._replace(length=5000),) * 2,
)
LAWS: Mapping[Split, Sequence[Law]] = {"train": _LEARNING, "val": _LEARNING, "test": _SEALED}


class BinpackOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The options of `binpack`.

    Attributes:
        rows_seed: Seed of samples and instances.
        form: What a policy looks at; so far the gap that a placement leaves.
    """

    rows_seed: RowsSeed = 1
    form: Literal["gap"] = "gap"


class BinpackDomain(GradedDomain):
    """Policies of online bin packing; the fewer bins over the lower bound, the better."""

    def __init__(self, options: BinpackOptions) -> None:
        """Draw the samples of all splits; the instances are drawn when they are played."""
        rows_seed = options.rows_seed
        items: dict[Split, list[Item]] = {
            split: draw_items(rows_seed, split, LAWS[split]) for split in SPLITS
        }
        super().__init__(
            "binpack",
            items,
            smoke_inputs=_inputs(_WEIBULL, [45] * SAMPLE),
            sealed=[rows_seed, LAWS],
            seed_files=seed_files("binpack"),
            task_files=task_files("binpack"),
            answer_limits=AnswerLimits(cpu_s=CPU_S),
        )
        self._rows_seed = rows_seed
        self._laws = {
            item.id: law
            for split in SPLITS
            for item, law in zip(items[split], LAWS[split], strict=True)
        }

    def verify(self, item: Item, artefact: str) -> Outcome:
        """Play a policy on the item's sealed instances; see `Verified`."""
        law = self._laws.get(item.id, _WEIBULL)
        capacity = CAPACITIES[law.family]
        try:
            policy = read_policy(capacity, artefact)
        except ValueError as error:
            return Outcome(0.0, str(error))
        rng = stream("binpack", self._rows_seed, f"{item.id}/instances")
        instances = [draw_sizes(law, law.length, rng) for _ in range(INSTANCES)]
        share = excess(capacity, policy, instances)
        reason = f"{100 * share:.2f} percent more bins than the lower bound"
        return Outcome(grade(share), reason, details={"excess": share})

    def renewed(self, epoch: int) -> Self:
        """The same task with validation items of another epoch; see `Renewable`."""
        prefix = f"val-{epoch}" if epoch else "val"
        items = draw_items(self._rows_seed, prefix, LAWS["val"])
        domain = self.with_items({"val": items})
        laws = {item.id: law for item, law in zip(items, LAWS["val"], strict=True)}
        domain._laws = self._laws | laws
        return domain


def draw_items(rows_seed: int, prefix: str, laws: Sequence[Law]) -> list[Item]:
    """Draw a sample of each law; every item has streams of its own, by its id."""
    items: list[Item] = []
    for index, law in enumerate(laws):
        id_ = f"{prefix}-{index:04d}"
        sample = draw_sizes(law, SAMPLE, stream("binpack", rows_seed, f"{id_}/sample"))
        items.append(Item(id_, _inputs(law, sample)))
    return items


make = generated("binpack", BinpackOptions)(BinpackDomain)


def _inputs(law: Law, sample: list[int]) -> dict[str, object]:
    return {"capacity": CAPACITIES[law.family], "family": law.family, "sample": sample}
