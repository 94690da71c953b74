"""What all blocks of a pass have in common: the bounds of answers, and what ends a sandbox."""

from collections.abc import Sequence
from typing import NamedTuple

from domains.base import Composite, Domain, Item, leaf_of
from domains.shapes.interactive import Interactive
from domains.shapes.limited import AnswerLimits, Limited


class Crash(NamedTuple):
    """The end of a sandbox by the code inside.

    Attributes:
        work: What it worked on, as in the traces: an item, or a block of episodes.
        item: The item that it counts for.
    """

    work: str
    item: str


def answer_limits(domain: Domain) -> AnswerLimits:
    """Return the bounds of a domain's answers."""
    return domain.answer_limits if isinstance(domain, Limited) else AnswerLimits()


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
