"""Several domains as one: an agent answers items of all of them, and must do well in each.

Items are tagged: their inputs have `domain`, the name of the part that they belong to. The score
is the mean of the parts' fitnesses, so parts of different size and metric weigh the same.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hyperspace.tasks.base import (
    SPLITS,
    Domain,
    DomainDataError,
    Draw,
    Item,
    LeafItem,
    Samplable,
    Split,
)
from hyperspace.tasks.naming import dedupe_names
from hyperspace.tasks.shapes.documented import description_of, task_files


class _Part(NamedTuple):
    name: str
    domain: Domain

    def id(self, item: str) -> str:
        return f"{self.name}:{item}"

    def item(self, item: Item) -> Item:
        return Item(self.id(item.id), {**item.inputs, "domain": self.name})

    def predictions(self, all_: Mapping[str, str]) -> dict[str, str]:
        head = f"{self.name}:"
        return {key[len(head) :]: text for key, text in all_.items() if key.startswith(head)}


class SeveralDomains:
    """A `Domain` made of others, for all of which one task agent answers."""

    metric = "mean fitness"
    higher_is_better = True

    def __init__(self, domains: Sequence[Domain]) -> None:
        """Join domains, in this order; a name that comes again gets `_b`, `_c`; after `_z`, `_aa`.

        Raises:
            DomainDataError: There are fewer than two.
        """
        if len(domains) < 2:
            raise DomainDataError("several domains are two or more, joined by +")
        self._parts = tuple(map(_Part, dedupe_names(domain.name for domain in domains), domains))
        self.name = "+".join(part.name for part in self._parts)
        self.staged_items = sum(len(self._staged(part)) for part in self._parts)
        hashes = "\n".join(f"{part.name} {part.domain.data_sha256}" for part in self._parts)
        self.data_sha256 = hashlib.sha256(hashes.encode()).hexdigest()
        # The standard seed asks a model about any input; another task's own code cannot answer.
        seeds = [dict(domain.seed_files()) for domain in domains]
        self._seed = seeds[0] if all(seed == seeds[0] for seed in seeds) else {}
        self.calls_model = not self._seed or domains[0].calls_model
        self._leaves = {
            part.id(item.id): LeafItem(part.domain, item, part.name)
            for part in self._parts
            for split in SPLITS
            for item in part.domain.items(split)
        }

    def items(self, split: Split) -> Sequence[Item]:
        """Every part's items; those of the parts' staged passes come first."""
        staged = [self._staged(part) if split == "train" else () for part in self._parts]
        pairs = list(zip(self._parts, staged, strict=True))
        first = [part.item(item) for part, taken in pairs for item in taken]
        rest = [
            part.item(item)
            for part, taken in pairs
            for item in part.domain.items(split)[len(taken) :]
        ]
        return [*first, *rest]

    def labels(self, split: Split) -> Mapping[str, str]:
        """True answers of all parts by item id. Host side only."""
        return {
            part.id(item): label
            for part in self._parts
            for item, label in part.domain.labels(split).items()
        }

    def score(self, split: Split, predictions: Mapping[str, str]) -> float:
        """Mean of the parts' fitnesses; no finite number unless each part has a score."""
        scores = self.part_scores(split, predictions)
        fitnesses = [part.domain.fitness(scores[part.name]) for part in self._parts]
        return sum(fitnesses) / len(fitnesses)

    def leaf(self, item: Item) -> LeafItem:
        """The part of an item; see `Composite`."""
        return self._leaves[item.id]

    def part_scores(self, split: Split, predictions: Mapping[str, str]) -> dict[str, float]:
        """Score of each part by its name; see `Composite`."""
        return {
            part.name: part.domain.score(split, part.predictions(predictions))
            for part in self._parts
        }

    def fitness(self, score: float) -> float:
        """A mean of fitnesses is its own fitness."""
        return score

    def smoke_item(self) -> Item:
        """The first part's, tagged."""
        first = self._parts[0]
        return first.item(first.domain.smoke_item())

    def seed_files(self) -> Mapping[str, bytes]:
        """Seed files of the parts if all have the same; else none, for the standard seed."""
        return dict(self._seed)

    def task_files(self) -> Mapping[str, bytes]:
        """Files of each part below its name; see `Documented`."""
        return {
            f"{part.name}/{path}": data
            for part in self._parts
            for path, data in task_files(part.domain).items()
        }

    @property
    def description(self) -> str:
        """What each part says of itself; see `Described`."""
        return "\n".join(f"Items of {p.name}:\n\n{description_of(p.domain)}" for p in self._parts)

    def sampled(self, draw: Draw) -> "SeveralDomains":
        """The same task on some of each part's items; see `Samplable`.

        Raises:
            DomainDataError: A part cannot be cut down.
        """
        parts: list[Domain] = []
        for part in self._parts:
            if not isinstance(part.domain, Samplable):
                raise DomainDataError(f"the domain {part.name} can only be used whole")
            parts.append(part.domain.sampled(draw))
        several = SeveralDomains(parts)
        several.data_sha256 = self.data_sha256
        return several

    def _staged(self, part: _Part) -> Sequence[Item]:
        return part.domain.items("train")[: part.domain.staged_items]
