"""What all blocks of a pass have in common: the bounds of answers, and what ends a sandbox."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

from hyperspace.kernel.evaluation.evaluator import Evaluator, ItemQuestion, KeptSandbox
from hyperspace.tasks.base import Composite, Domain, Item, Split, leaf_of
from hyperspace.tasks.protocols import speaks
from hyperspace.tasks.shapes.interactive import Interactive
from hyperspace.tasks.shapes.limited import AnswerLimits, Limited


class Crash(NamedTuple):
    """The end of a sandbox by the code inside.

    Attributes:
        work: What it worked on, as in the traces: an item, or a block of episodes.
        item: The item that it counts for.
    """

    work: str
    item: str


class ItemBlock(ABC):
    """Items of a split that share sandboxes, and what became of them.

    Attributes:
        items: In the order in which they are asked.
        works: What was worked on, as in the traces, in order.
        predictions: Item id to prediction.
        errors: Item id to what kept a prediction from coming, or ended it early.
        answers: Item id to answer, where the record does not hold it.
        crashes: Where the code ended its sandbox, in order.
        kept: The sandbox of the gates, if this block goes on in it while it lasts.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        split: Split,
        name: str | int,
        items: Sequence[Item],
        done: Callable[[], None],
    ) -> None:
        """Prepare a block.

        Args:
            evaluator: Where it is evaluated.
            split: Of which split.
            name: Its own among the blocks of the pass.
            items: In the order in which they are asked.
            done: Called after each item.
        """
        self.items = items
        self.works: list[str] = []
        self.predictions: dict[str, str] = {}
        self.errors: dict[str, str] = {}
        self.answers: dict[str, str] = {}
        self.crashes: list[Crash] = []
        self.kept: KeptSandbox | None = None
        self._evaluator = evaluator
        self._split: Split = split
        self._done = done
        self._tokens = evaluator.rng(f"{split}/tokens/{name}")
        self._cpu_s = answer_cpu_s(leaf_of(evaluator.domain, items[0]).domain)

    def questions(self) -> list[ItemQuestion]:
        """Return what will be asked, where that is known before."""
        return []

    def _lasting(self) -> KeptSandbox | None:
        return None if self.kept is None or self.kept.is_over else self.kept

    @abstractmethod
    async def work(self, give_up: Callable[[], bool]) -> None:
        """Ask every item.

        Args:
            give_up: Whether so much has crashed, here and before, that the rest cannot count.
        """


def answer_limits(domain: Domain) -> AnswerLimits:
    """Return the bounds of a domain's answers."""
    return domain.answer_limits if speaks(domain, Limited) else AnswerLimits()


def answer_cpu_s(domain: Domain) -> int | None:
    """Return the CPU seconds of an answer; None where they are not bounded by the domain.

    Where they are, each answer has a sandbox of its own, and one that is ended costs that answer
    alone.
    """
    return answer_limits(domain).cpu_s


def apart_of(domain: Domain, item: Item) -> Domain | None:
    """Return the part of a composite domain whose items need blocks of their own, or None."""
    leaf = leaf_of(domain, item).domain
    return leaf if isinstance(leaf, Interactive) or answer_cpu_s(leaf) is not None else None


def by_shape(domain: Domain, items: Sequence[Item]) -> list[tuple[Domain, list[Item]]]:
    """Group items by the domain that says how they are asked, in their order."""
    if not isinstance(domain, Composite):
        return [(domain, list(items))]
    groups: dict[int, tuple[Domain, list[Item]]] = {}
    for item in items:
        key = apart_of(domain, item) or domain
        groups.setdefault(id(key), (key, []))[1].append(item)
    return list(groups.values())
