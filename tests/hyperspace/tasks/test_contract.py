"""What `hyperspace.tasks.contract` says of domains that keep it, and of one for each way not to."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from hyperspace.tasks.base import SPLITS, Domain, Item, Split
from hyperspace.tasks.contract import broken_promises, remarks, unplayable
from hyperspace.tasks.registry import load
from hyperspace.tasks.table import Row, TableDomain


def table(**changes: Any) -> TableDomain:
    rows: dict[Split, list[Row]] = {
        split: [Row(f"{split}-{n}", {"n": n, "split": split}, "yes") for n in range(3)]
        for split in SPLITS
    }
    options: dict[str, Any] = {"smoke_inputs": {"n": 0}, "staged_items": 2} | changes
    return TableDomain("toy", options.pop("rows", rows), **options)


def broken(domain: Domain, again: Domain | None = None) -> list[str]:
    return broken_promises(domain, again or domain)


@pytest.mark.parametrize("spec", ["repo_quality", "panel?kinds=2", "repo_quality+panel?kinds=2"])
def test_built_in_domains_keep_it(spec: str) -> None:
    assert broken(load(spec), load(spec)) == []


def test_a_table_keeps_it_and_nothing_is_remarked() -> None:
    assert (broken(table(), table()), remarks(table())) == ([], [])


class Nan(TableDomain):
    def score(self, split: Split, predictions: Mapping[str, str]) -> float:
        return float("nan") if not predictions else super().score(split, predictions)


class Percent(TableDomain):
    def fitness(self, score: float) -> float:
        return 100 * score


class Unlabelled(TableDomain):
    def labels(self, split: Split) -> Mapping[str, str]:
        return {**dict(list(super().labels(split).items())[1:]), "other": "no"}


class Lottery(TableDomain):
    drawn = 0

    def items(self, split: Split) -> Sequence[Item]:
        self.drawn += 1
        return [Item(item.id, {"n": self.drawn}) for item in super().items(split)]


class Upside(TableDomain):
    def score(self, split: Split, predictions: Mapping[str, str]) -> float:
        return 1 - super().score(split, predictions)


class Fragile(TableDomain):
    def score(self, split: Split, predictions: Mapping[str, str]) -> float:
        return float(sum(len(predictions[id_]) for id_ in self.labels(split)) > 0)


def made(kind: type[TableDomain]) -> TableDomain:
    rows: dict[Split, list[Row]] = {
        split: [Row(f"{split}-{n}", {}, "yes") for n in "ab"] for split in SPLITS
    }
    return kind("toy", rows, smoke_inputs={}, staged_items=1)


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (Nan, "the score of no predictions on train is nan"),
        (Percent, "the fitness of its labels on train is 100.0, not within 0 and 1"),
        (Unlabelled, "1 items of train have no label, such as 'train-a'"),
        (Unlabelled, "1 labels of train have no item, such as 'other'"),
        (Lottery, "loaded twice, the items of val differ"),
        (Upside, "its own labels are worth no more than no predictions"),
        (Fragile, "it failed while it was checked: KeyError: 'train-a'"),
    ],
)
def test_what_is_not_kept_is_one_sentence(kind: type[TableDomain], says: str) -> None:
    sentences = broken(made(kind), made(kind))
    assert any(says in sentence for sentence in sentences), sentences
    assert not any("\n" in sentence for sentence in sentences)


def test_other_data_at_the_second_load_are_told() -> None:
    rows: dict[Split, list[Row]] = {split: [Row(split, {}, "no")] for split in SPLITS}
    told = broken(table(), table(rows=rows, staged_items=1))
    assert told[0].startswith("loaded twice, data_sha256 differs")


def test_more_staged_items_than_train_has_are_told() -> None:
    assert broken(table(staged_items=4)) == ["staged_items is 4, and train has 3 items"]


def test_code_that_cannot_be_compiled_is_told() -> None:
    (told,) = broken(table(seed_files={"task_agent.py": b"def f(:\n", "notes.md": b"{"}))
    assert told.startswith("task_agent.py cannot be compiled: invalid syntax")


def test_equal_inputs_of_two_splits_are_remarked() -> None:
    rows: dict[Split, list[Row]] = {
        "train": [Row("a", {"n": 1}, "yes"), Row("b", {"n": 2}, "yes")],
        "val": [Row("c", {"n": 2}, "yes"), Row("d", {"n": 3}, "yes")],
        "test": [Row("e", {"n": 4}, "yes")],
    }
    assert remarks(table(rows=rows)) == ["1 of 2 items of val are asked in an earlier split"]


class Picky(TableDomain):
    """Compares exactly, and knows its own ids alone."""

    def score(self, split: Split, predictions: Mapping[str, str]) -> float:
        labels = self.labels(split)
        return sum(labels[id_] == said for id_, said in predictions.items()) / len(labels)


def test_a_run_is_refused_for_nothing_that_no_run_does() -> None:
    rows: dict[Split, list[Row]] = {split: [Row(split, {"s": split}, "Yes")] for split in SPLITS}
    assert unplayable(Picky("picky", rows, smoke_inputs={}, staged_items=10)) == []
    assert unplayable(Nan("toy", rows, smoke_inputs={})) == []
