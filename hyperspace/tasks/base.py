"""The seam to a task: label-free inputs, host-side scoring, and what an agent starts from.

Errors::

    DomainError            setting up or using a domain failed
    ├── UnknownDomain      no built-in, entry point or file goes by that name (usage error)
    └── DomainDataError    its data is missing or malformed; names file and column (usage error)
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

import msgspec

from hyperspace.tasks.protocols import speaks

Split = Literal["train", "val", "test"]
SPLITS: tuple[Split, ...] = ("train", "val", "test")
Draw = Callable[[str, Split, Sequence[str]], Collection[str]]
"""Given a domain's name, a split and the ids of its items: the ids to keep, at least one."""


class DomainError(Exception):
    """Setting up or using a domain failed. The message says what to do."""


class UnknownDomain(DomainError):
    """No domain goes by that name."""


class DomainDataError(DomainError):
    """A domain's data is missing or malformed."""


class Item(msgspec.Struct, frozen=True):
    """One question to an agent, without its answer.

    Attributes:
        id: Names the item on the host only; carries nothing about the label.
        inputs: What `TaskAgent.forward` receives. JSON values only.
    """

    id: str
    inputs: dict[str, Any]


class Domain(Protocol):
    """A task that agents are scored on.

    Contract: everything is deterministic and pure after construction; labels leave a domain only
    through `labels` (host side; the visibility policy decides what an agent sees). A prediction
    that is missing or not understood is wrong, never an error.
    """

    @property
    def name(self) -> str:
        """Short name, used in paths: lower-case letters, digits and underscores."""
        ...

    @property
    def metric(self) -> str:
        """Name of what `score` computes, for people ("accuracy")."""
        ...

    @property
    def higher_is_better(self) -> bool:
        """Direction of the score."""
        ...

    @property
    def staged_items(self) -> int:
        """Size of the staged pass, in items of the train split."""
        ...

    @property
    def data_sha256(self) -> str:
        """Hash of all inputs and labels, so that a run can be cited."""
        ...

    @property
    def calls_model(self) -> bool:
        """True if the seed task agent asks the evaluation model for each item."""
        ...

    def items(self, split: Split) -> Sequence[Item]:
        """Label-free inputs of a split, in a fixed order."""
        ...

    def labels(self, split: Split) -> Mapping[str, str]:
        """True answers by item id. Host side only."""
        ...

    def score(self, split: Split, predictions: Mapping[str, str]) -> float:
        """Score predictions (item id to text) over the whole split; a finite number."""
        ...

    def fitness(self, score: float) -> float:
        """Map a score to [0, 1], higher is better."""
        ...

    def smoke_item(self) -> Item:
        """An input of the right shape that belongs to no split, for the smoke gate."""
        ...

    def seed_files(self) -> Mapping[str, bytes]:
        """Files that replace the standard seed (say, `task_agent.py`); may be empty."""
        ...


@runtime_checkable
class Samplable(Protocol):
    """A domain that can be cut down to some of its items."""

    def sampled(self, draw: Draw) -> Domain:
        """The same task on the items that `draw` keeps of each split, in the same order.

        Scores are over the kept items; the name and `data_sha256` stay those of the whole.
        """
        ...


class LeafItem(NamedTuple):
    """An item of a composite domain, as the part that it belongs to knows it.

    Attributes:
        domain: The part; no composite.
        item: The part's own item.
        tag: Its name among the parts; empty where there are none.
    """

    domain: Domain
    item: Item
    tag: str = ""


@runtime_checkable
class Composite(Protocol):
    """A domain whose score is made of others'."""

    def leaf(self, item: Item) -> LeafItem:
        """The part that an item belongs to, and what it is there."""
        ...

    def part_scores(self, split: Split, predictions: Mapping[str, str]) -> dict[str, float]:
        """Score of each part by its name, as that part's own `score` gives it."""
        ...


def leaf_of(domain: Domain, item: Item) -> LeafItem:
    """Return the domain that scores an item: itself, or a part of it."""
    return domain.leaf(item) if speaks(domain, Composite) else LeafItem(domain, item)


@runtime_checkable
class Combining(Protocol):
    """A domain that knows what several answers to one item come to, such as the mean of numbers."""

    def combine(self, answers: Sequence[str]) -> str:
        """One answer in place of several; deterministic, whatever the answers hold."""
        ...
