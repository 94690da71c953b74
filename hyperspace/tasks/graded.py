"""A domain whose items the host scores one by one: artefacts, episodes, judged answers."""

import copy
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Self

import msgspec

from hyperspace.tasks.base import SPLITS, Draw, Item, Split
from hyperspace.tasks.shapes.limited import AnswerLimits
from hyperspace.tasks.shapes.outcome import decode_outcome
from hyperspace.tasks.splits import check_splits


class GradedDomain:
    """A `Domain` over items without labels; a prediction is the text of an `Outcome`.

    A task derives from it and adds one shape: `verify`, `verify_in_sandbox`, `open`, or the
    three of `JudgedByModel`. The score is the mean of the items' scores.
    """

    higher_is_better = True

    def __init__(
        self,
        name: str,
        items: Mapping[Split, Sequence[Item]],
        *,
        smoke_inputs: dict[str, Any],
        metric: str = "mean score",
        sealed: object = None,
        staged_items: int = 10,
        calls_model: bool = False,
        seed_files: Mapping[str, bytes] | None = None,
        task_files: Mapping[str, bytes] | None = None,
        answer_limits: AnswerLimits | None = None,
    ) -> None:
        """Keep the items.

        Args:
            name: See `Domain`.
            items: Those of each split. Inputs of train are shown to agents; of an episode they
                are what `play` of its `score.py` needs.
            smoke_inputs: Inputs of the smoke gate; of an episode, an observation.
            metric: See `Domain`.
            sealed: What decides scores beside the inputs, as JSON values; part of the data's hash.
            staged_items: See `Domain`.
            calls_model: See `Domain`.
            seed_files: See `Domain`.
            task_files: See `Documented`.
            answer_limits: See `Limited`; None for the usual ones.

        Raises:
            DomainDataError: A split is missing or empty, or an id names two items.
        """
        check_splits(name, {split: [item.id for item in items.get(split, ())] for split in SPLITS})
        self.name = name
        self.metric = metric
        self.staged_items = min(staged_items, len(items["train"]))
        self.calls_model = calls_model
        self.answer_limits = answer_limits or AnswerLimits()
        ordered = [[[split, list(items[split])] for split in SPLITS], sealed]
        encoded = msgspec.json.encode(ordered, order="sorted")
        self.data_sha256 = hashlib.sha256(encoded).hexdigest()
        self._items = {split: tuple(items[split]) for split in SPLITS}
        self._smoke = Item("smoke", smoke_inputs)
        self._seed_files = dict(seed_files or {})
        self._task_files = dict(task_files or {})

    def items(self, split: Split) -> Sequence[Item]:
        """Inputs of a split, in a fixed order."""
        return self._items[split]

    def labels(self, split: Split) -> Mapping[str, str]:
        """Item id to an empty text: there is no label."""
        return dict.fromkeys((item.id for item in self._items[split]), "")

    def item_scores(self, split: Split, predictions: Mapping[str, str]) -> dict[str, float]:
        """Score of every item; see `Graded`."""
        return {
            item.id: decode_outcome(predictions[item.id]).score if item.id in predictions else 0.0
            for item in self._items[split]
        }

    def score(self, split: Split, predictions: Mapping[str, str]) -> float:
        """Mean of the items' scores over the whole split."""
        scores = self.item_scores(split, predictions)
        return sum(scores.values()) / len(scores)

    def fitness(self, score: float) -> float:
        """A score in [0, 1] is its own fitness; what is better than its reference has 1."""
        return max(0.0, min(1.0, score))

    def smoke_item(self) -> Item:
        """An input of the right shape that belongs to no split."""
        return self._smoke

    def seed_files(self) -> Mapping[str, bytes]:
        """Files that replace the standard seed; may be empty."""
        return dict(self._seed_files)

    def task_files(self) -> Mapping[str, bytes]:
        """Files below `task/`; see `Documented`."""
        return dict(self._task_files)

    def sampled(self, draw: Draw) -> Self:
        """The same task on some of its items; see `Samplable`."""
        kept: dict[Split, tuple[Item, ...]] = {}
        for split in SPLITS:
            ids = set(draw(self.name, split, [item.id for item in self._items[split]]))
            kept[split] = tuple(item for item in self._items[split] if item.id in ids)
        return self.with_items(kept)

    def with_items(self, items: Mapping[Split, Sequence[Item]]) -> Self:
        """The same task on other items of the splits that are named; its hash stays."""
        domain = copy.copy(self)
        domain._items = self._items | {split: tuple(items[split]) for split in items}
        return domain
