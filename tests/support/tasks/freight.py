"""A foreign task: the price of a parcel. Scored by mean error, so that lower is better.

`freight` is a factory as `--domain tests/support/tasks/freight.py:freight` calls it. `?seed=FLAW`
starts agents from broken code: `syntax`, `import`, `name`, `signature` or `number` (answers no
text).
"""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hyperspace.tasks.base import SPLITS, DomainDataError, Item, Split

ROWS = {"train": 24, "val": 24, "test": 12}
WORST = 50.0
SEED = '''"""The price of a parcel."""

BASE = 2
PER_KILO = 3


def surcharge(parcel):
    """Far and bulky parcels cost more."""
    extra = 0
    if parcel["distance"] < 500:
        extra += 4
    if parcel["bulky"]:
        extra -= 5
    return extra


class TaskAgent:
    def __init__(self, model, log_file=""):
        self.model = model

    def forward(self, inputs):
        price = BASE + PER_KILO * inputs["weight"] + surcharge(inputs)
        return str(price), []
'''
FLAWS = {
    "": SEED,
    "syntax": SEED.replace("extra += 4", "extra += (4"),
    "import": f"import parcel_rates_of_old\n{SEED}",
    "name": SEED.replace("BASE = 2\n", ""),
    "signature": SEED.replace("class TaskAgent", "class Pricer").replace("forward", "answer"),
    "number": SEED.replace("return str(price), []", "return price"),
}


def price(inputs: Mapping[str, Any]) -> int:
    """The true price."""
    far, bulky = inputs["distance"] > 500, inputs["bulky"]
    return int(5 + 2 * inputs["weight"] + 4 * far + 5 * bulky)


class Freight:
    name = "freight"
    metric = "mean error"
    higher_is_better = False
    staged_items = 4
    data_sha256 = "f" * 64
    calls_model = False

    def __init__(self, seed_code: str) -> None:
        self._seed_code = seed_code
        self._items = {split: _rows(split) for split in SPLITS}

    def items(self, split: Split) -> Sequence[Item]:
        return self._items[split]

    def labels(self, split: Split) -> Mapping[str, str]:
        return {item.id: str(price(item.inputs)) for item in self._items[split]}

    def score(self, split: Split, predictions: Mapping[str, str]) -> float:
        errors = [
            _error(predictions.get(name), label) for name, label in self.labels(split).items()
        ]
        return sum(errors) / len(errors)

    def fitness(self, score: float) -> float:
        return max(0.0, 1 - score / WORST)

    def smoke_item(self) -> Item:
        return Item("smoke", {"weight": 1, "distance": 100, "bulky": False})

    def seed_files(self) -> Mapping[str, bytes]:
        return {"task_agent.py": self._seed_code.encode()}


def freight(data: Path | None, options: Mapping[str, str]) -> Freight:
    """Make the domain."""
    flaw = options.get("seed", "")
    if data is not None or flaw not in FLAWS or set(options) - {"seed"}:
        raise DomainDataError(f"freight takes no data and seed is one of {', '.join(FLAWS)}")
    return Freight(FLAWS[flaw])


def _rows(split: Split) -> tuple[Item, ...]:
    rng = random.Random(f"freight/{split}")
    return tuple(
        Item(
            f"{split}-{i}",
            {
                "weight": rng.randint(1, 12),
                "distance": rng.randint(20, 1500),
                "bulky": rng.random() < 0.4,
            },
        )
        for i in range(ROWS[split])
    )


def _error(prediction: str | None, label: str) -> float:
    try:
        return min(WORST, abs(float(prediction or "nan") - float(label)))
    except ValueError:
        return WORST
