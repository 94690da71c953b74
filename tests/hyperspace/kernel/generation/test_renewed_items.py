"""Validation items of an epoch are fresh, or the domain is named that did not draw them."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from hyperspace.kernel.generation.rounds import epoch_domain
from hyperspace.kernel.state.config import RunConfig
from hyperspace.tasks.base import SPLITS, DomainError, Item, Split
from hyperspace.tasks.graded import GradedDomain

ITEMS: dict[Split, list[Item]] = {split: [Item(f"{split}-0", {"of": split})] for split in SPLITS}
CONFIG = RunConfig(
    kind="pair",
    domain="fresh",
    data_sha256="0" * 64,
    models=("offline/tinker",),
    agents=("tinker",),
    eval_model=None,
    generations=4,
    seed=1,
    options={"rotate_val": 2},
)


class Fresh(GradedDomain):
    """Draws what it is told to."""

    def __init__(self, draw: Callable[["Fresh", int], Any]) -> None:
        super().__init__("fresh", ITEMS, smoke_inputs={})
        self.draw = draw

    def renewed(self, epoch: int) -> Any:
        return self.draw(self, epoch) if epoch else self


def drawn(domain: Fresh, epoch: int) -> GradedDomain:
    return domain.with_items({"val": [Item(f"val{epoch}-0", {"of": epoch})]})


def no_more(_domain: Fresh, _epoch: int) -> GradedDomain:
    raise RuntimeError("no more")


def the_same(domain: Fresh, _epoch: int) -> GradedDomain:
    return domain


def those_of_train(domain: Fresh, _epoch: int) -> GradedDomain:
    return domain.with_items({"val": domain.items("train")})


def nothing(_domain: Fresh, _epoch: int) -> None:
    return None


def test_each_epoch_has_its_items() -> None:
    domain = Fresh(drawn)
    seen = [epoch_domain(domain, CONFIG, number).items("val")[0].id for number in range(5)]
    assert seen == ["val-0", "val-0", "val1-0", "val1-0", "val2-0"]
    never = msgspec.structs.replace(CONFIG, options={})
    assert epoch_domain(domain, never, 4) is domain


@pytest.mark.parametrize(
    ("draw", "told"),
    [
        (the_same, "gave items that were there before"),
        (those_of_train, "gave items that were there before"),
        (no_more, "failed: RuntimeError: no more"),
        (nothing, "failed: AttributeError"),
    ],
)
def test_items_that_are_not_fresh_are_told(draw: Callable[[Fresh, int], Any], told: str) -> None:
    with pytest.raises(DomainError, match="renewed of fresh, for 'epoch 1', ") as caught:
        epoch_domain(Fresh(draw), CONFIG, 2)
    assert told in str(caught.value)
