"""A domain made of labelled rows: what most tasks are, once their data is read."""

import copy
import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Self, cast

import msgspec

from hyperspace.tasks.base import SPLITS, DomainDataError, Draw, Item, Split
from hyperspace.tasks.shapes.cases import TaskCase
from hyperspace.tasks.splits import check_splits


class Row(msgspec.Struct, frozen=True):
    """One item together with its answer. Never leaves the host.

    Attributes:
        id: Names the row; carries nothing about the label.
        inputs: What an agent gets.
        label: The true answer, normalised.
    """

    id: str
    inputs: dict[str, Any]
    label: str


def normalise(answer: object) -> str:
    """The form in which answers are compared: lower case, without surrounding space."""
    return answer.strip().lower() if isinstance(answer, str) else ""


def accuracy(labels: Mapping[str, str], predictions: Mapping[str, str]) -> float:
    """Share of labels that were predicted, in [0, 1]; a missing prediction is wrong."""
    hits = sum(normalise(predictions.get(id_)) == label for id_, label in labels.items())
    return hits / len(labels)


class TableDomain:
    """A `Domain` over labelled rows, scored by accuracy over each whole split."""

    metric = "accuracy"
    higher_is_better = True

    def __init__(
        self,
        name: str,
        rows: Mapping[Split, Sequence[Row]],
        *,
        smoke_inputs: dict[str, Any],
        staged_items: int = 10,
        calls_model: bool = True,
        seed_files: Mapping[str, bytes] | None = None,
        scale: Mapping[str, float] | None = None,
        task_files: Mapping[str, bytes] | None = None,
        description: str = "",
    ) -> None:
        """Keep the rows.

        Args:
            name: See `Domain`.
            rows: Those of each split.
            smoke_inputs: Inputs of the smoke gate.
            staged_items: See `Domain`.
            calls_model: See `Domain`.
            seed_files: See `Domain`.
            scale: Where labels that are ordered lie, in [0, 1]; None if they are not.
            task_files: See `Documented`; None for none.
            description: See `Described`; empty where a README says it.

        Raises:
            DomainDataError: A split is missing or empty, an id names two rows, or a label is not
                as answers are compared.
        """
        self.name = name
        self._keep(rows)
        self.staged_items = staged_items
        self.calls_model = calls_model
        ordered = [[split, list(rows[split])] for split in SPLITS]
        encoded = msgspec.json.encode(ordered, order="sorted")
        self.data_sha256 = hashlib.sha256(encoded).hexdigest()
        self._smoke = Item("smoke", smoke_inputs)
        self._seed_files = dict(seed_files or {})
        self._scale = scale
        self._task_files = dict(task_files or {})
        self.description = description

    def items(self, split: Split) -> Sequence[Item]:
        """Label-free inputs of a split, in a fixed order."""
        return self._items[split]

    def labels(self, split: Split) -> Mapping[str, str]:
        """True answers by item id. Host side only."""
        return dict(self._labels[split])

    def score(self, split: Split, predictions: Mapping[str, str]) -> float:
        """Accuracy over the whole split, in [0, 1]."""
        return accuracy(self._labels[split], predictions)

    def mean_absolute_error(self, split: Split, predictions: Mapping[str, str]) -> float | None:
        """Mean error of predictions on the labels' scale; None if the labels have none.

        A prediction that is missing or not a label stands at 1, the end of the scale.
        """
        if self._scale is None:
            return None
        labels, scale = self._labels[split], self._scale
        said = ((scale[label], predictions.get(id_)) for id_, label in labels.items())
        off = (abs(true - scale.get(normalise(answer), 1.0)) for true, answer in said)
        return sum(off) / len(labels)

    def fitness(self, score: float) -> float:
        """Accuracy is its own fitness."""
        return score

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
        """The same task on some of its rows; see `Samplable`."""
        kept: dict[Split, list[Row]] = {}
        for split in SPLITS:
            rows = self._rows[split]
            ids = set(draw(self.name, split, [row.id for row in rows]))
            kept[split] = [row for row in rows if row.id in ids]
        return self.with_rows(kept)

    def with_rows(self, rows: Mapping[Split, Sequence[Row]]) -> Self:
        """The same task on other rows of the splits that are named; its hash stays.

        Raises:
            DomainDataError: A split is empty, or an id names two rows.
        """
        domain = copy.copy(self)
        domain._keep({split: rows.get(split, self._rows[split]) for split in SPLITS})
        return domain

    def with_cases(self, cases: Mapping[Split, Sequence[TaskCase]]) -> Self:
        """The same task with cases behind the rows of some splits; see `HasOracle`."""
        further: dict[Split, list[Row]] = {
            split: [*self._rows[split], *(Row(c.id, c.inputs, c.label) for c in made_up)]
            for split, made_up in cases.items()
        }
        return self.with_rows(further)

    def _keep(self, rows: Mapping[Split, Sequence[Row]]) -> None:
        check_splits(
            self.name, {split: [row.id for row in rows.get(split, ())] for split in SPLITS}
        )
        if type(self).score is TableDomain.score:  # another one may compare otherwise
            for split in SPLITS:
                for row in rows[split]:
                    _check_label(self.name, row)
        self._rows = {split: tuple(rows[split]) for split in SPLITS}
        self._items = {split: tuple(Item(r.id, r.inputs) for r in rows[split]) for split in SPLITS}
        self._labels = {split: {r.id: r.label for r in rows[split]} for split in SPLITS}


def _check_label(name: str, row: Row) -> None:
    if row.label and row.label == normalise(row.label):
        return
    is_text = isinstance(cast("object", row.label), str)
    shown = repr(row.label) if is_text else f"{row.label}, which is no text"
    what = f"write it as {as_it_is!r}" if (as_it_is := normalise(row.label)) else "give it a text"
    raise DomainDataError(
        f"{name}: the label of {row.id!r} is {shown}; answers are compared in lower case, without "
        f"space around: {what}"
    )
