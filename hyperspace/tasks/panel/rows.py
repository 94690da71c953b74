"""The rows of a panel: equally many of each kind, none near a border, half of them yes.

Train and validation are labelled by each kind's true rule. What the dial `sharing` decides is what
*fresh* rows are labelled by, and with them how much the code of others is worth:

- `helps`: by the true rule as well, in validation and test. What is better on train is better.
- `neutral`: validation and test by fair coins, so that every function, whoever found it, is right
  on half of them in expectation. Nothing that anybody has can help.
- `harms`: test by the rules of the seed agent, at points where the true rules say otherwise; there
  yes and no are as frequent as they come. Train and validation mislead: each repair that they ask
  for breaks answers of test, and whoever has more of them is further off. With two defects a
  kind that is strict: on each point of test it is one of them alone that matters.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Literal

from hyperspace.tasks.base import SPLITS, Split
from hyperspace.tasks.panel.kinds import Kind, draw_point
from hyperspace.tasks.panel.rules import Point
from hyperspace.tasks.streams import stream
from hyperspace.tasks.table import Row

Sharing = Literal["helps", "neutral", "harms"]
VAL_ROWS = 200
TEST_ROWS = 1000
MARGIN = 0.02


def draw_rows(
    kinds: Sequence[Kind], per: int, sharing: Sharing, rows_seed: int
) -> dict[Split, tuple[Row, ...]]:
    """Draw all rows.

    Args:
        kinds: What is asked.
        per: Train rows of a kind.
        sharing: The dial; see above.
        rows_seed: Seed of the rows; each split and kind has a stream of its own.
    """
    totals: dict[Split, int] = {"train": per * len(kinds), "val": VAL_ROWS, "test": TEST_ROWS}
    rows: dict[Split, tuple[Row, ...]] = {}
    for split in SPLITS:
        labelled = [
            (kind, point, label)
            for index, kind in enumerate(kinds)
            for point, label in _rows_of(
                kind,
                len(range(index, totals[split], len(kinds))),
                split,
                sharing,
                stream("panel", rows_seed, f"{split}/{kind.name}"),
            )
        ]
        stream("panel", rows_seed, f"{split}/order").shuffle(labelled)
        rows[split] = tuple(
            Row(f"{split}-{index:04d}", {"kind": kind.name, **point._asdict()}, label)
            for index, (kind, point, label) in enumerate(labelled)
        )
    return rows


def _rows_of(
    kind: Kind, count: int, split: Split, sharing: Sharing, rng: random.Random
) -> Iterator[tuple[Point, str]]:
    if sharing == "neutral" and split != "train":
        coins = ["yes", "no"] * (count // 2) + rng.sample(["yes", "no"], count % 2)
        rng.shuffle(coins)
        yield from ((draw_point(rng), coin) for coin in coins)
        return
    misleads = sharing == "harms" and split == "test"
    for number in range(count):
        while True:
            point = draw_point(rng)
            answer, old = kind.true.says_yes(point), kind.seed.says_yes(point)
            fits = answer != old if misleads else answer == (number % 2 == 1)
            if fits and kind.true.margin(point) >= MARGIN:
                yield point, "yes" if answer != misleads else "no"
                break
