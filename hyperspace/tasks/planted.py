"""Generated stand-ins: labels by a planted linear rule, a known share of them turned round.

The share is exact in every split, and equal for both labels: the rule itself is right on 90% of
the rows of each, and nothing that reads the inputs alone is right on more but by luck.
"""

import json
import random
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any, NamedTuple, Self

from hyperspace.tasks.base import Split
from hyperspace.tasks.options import Make, RowsOptions, generated
from hyperspace.tasks.package_files import seed_files, task_files
from hyperspace.tasks.shapes.renewable import Epochs
from hyperspace.tasks.streams import stream
from hyperspace.tasks.table import Row, TableDomain

TURNED_SHARE = 0.1
SIZES: dict[Split, int] = {"train": 200, "val": 200, "test": 400}


class Example(NamedTuple):
    """What a rule decides about: inputs, and by how much it is for the first label."""

    inputs: dict[str, Any]
    excess: float


class Plan(NamedTuple):
    """A task with a planted rule.

    Attributes:
        name: The domain's.
        labels: The label for what the rule is for, and the other one.
        draw: Draws an example; told whether it is for the test split.
        margin: Least distance of the rule from its border.
    """

    name: str
    labels: tuple[str, str]
    draw: Callable[[bool, random.Random], Example]
    margin: float


def planted(plan: Plan) -> Make["PlantedTable"]:
    """Return what makes the domain of a plan from the files of its folder."""

    @generated(plan.name, RowsOptions)
    def make(options: RowsOptions) -> PlantedTable:
        files = {"seed_files": seed_files(plan.name), "task_files": task_files(plan.name)}
        return PlantedTable(plan, options.rows_seed, **files)

    return make


class PlantedTable(TableDomain):
    """A `TableDomain` whose labels follow a planted rule."""

    def __init__(
        self,
        plan: Plan,
        rows_seed: int,
        *,
        seed_files: Mapping[str, bytes],
        task_files: Mapping[str, bytes],
    ) -> None:
        self._plan = plan
        self._rows_seed = rows_seed
        self._epochs = Epochs(self._drawn)
        smoke = plan.draw(False, stream(plan.name, rows_seed, "smoke")).inputs
        super().__init__(
            plan.name,
            self._splits(set()),
            smoke_inputs=smoke,
            calls_model=False,
            seed_files=seed_files,
            task_files=task_files,
        )

    def renewed(self, epoch: int) -> Self:
        """The same task with the validation rows of another epoch; see `Renewable`."""
        return self.with_rows({"val": self._epochs.of(epoch)})

    def _drawn(self) -> Iterator[tuple[Row, ...]]:
        """Draw the validation rows of one epoch after the other."""
        seen: set[str] = set()
        yield self._splits(seen)["val"]
        for number in count(1):
            yield self._rows_of("val", f"val-{number}", seen)

    def _splits(self, seen: set[str]) -> dict[Split, tuple[Row, ...]]:
        return {split: self._rows_of(split, split, seen) for split in SIZES}

    def _rows_of(self, split: Split, part: str, seen: set[str]) -> tuple[Row, ...]:
        """Draw half of the rows for each label; none whose inputs were seen."""
        rng = stream(self._plan.name, self._rows_seed, part)
        half = SIZES[split] // 2
        sides: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
        while min(map(len, sides)) < half:
            inputs, excess = self._plan.draw(split == "test", rng)
            text = json.dumps(inputs)
            side = sides[excess < 0]
            if abs(excess) >= self._plan.margin and len(side) < half and text not in seen:
                seen.add(text)
                side.append(inputs)
        turned = round(half * TURNED_SHARE)
        labelled = [
            (inputs, self._plan.labels[index != (number < turned)])
            for index, side in enumerate(sides)
            for number, inputs in enumerate(side)
        ]
        rng.shuffle(labelled)
        return tuple(
            Row(f"{part}-{number:04d}", inputs, label)
            for number, (inputs, label) in enumerate(labelled)
        )
