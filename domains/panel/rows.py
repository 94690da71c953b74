"""The rows of a panel: equally many of each kind, half of them yes, none near a border.

Train and validation are labelled by each kind's true rule. What the dial `sharing` decides is what
*fresh* rows are labelled by, and with them how much the code of others is worth:

- `helps`: by the true rule as well, in validation and test. What is better on train is better.
- `neutral`: validation and test by fair coins, so that every function, whoever found it, is right
  on half of them in expectation. Nothing that anybody has can help.
- `harms`: test by the rules of the seed agent, three rows in four; the rest by the true ones.
  Train and validation come from a source that misleads: each step that looks like a repair there is
  a step away from what fresh rows ask, and whoever takes more of them is further off.
"""

import random
from collections.abc import Iterator, Sequence
from typing import Literal

from domains.base import SPLITS, Split
from domains.panel.kinds import Kind, draw_point
from domains.panel.rules import Point, Rule
from domains.table import Row

Sharing = Literal["helps", "neutral", "harms"]
VAL_ROWS = 200
TEST_ROWS = 1000
MARGIN = 0.02
MISLED = 4
"""Under `harms` one test row in so many is labelled by the true rule."""


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
                stream(rows_seed, f"{split}/{kind.name}"),
            )
        ]
        stream(rows_seed, f"{split}/order").shuffle(labelled)
        rows[split] = tuple(
            Row(f"{split}-{index:04d}", {"kind": kind.name, **point._asdict()}, label)
            for index, (kind, point, label) in enumerate(labelled)
        )
    return rows


def stream(rows_seed: int, name: str) -> random.Random:
    """Return the random numbers of one part of a panel."""
    return random.Random(f"panel/{rows_seed}/{name}")  # noqa: S311 - data, not secrets


def _rows_of(
    kind: Kind, count: int, split: Split, sharing: Sharing, rng: random.Random
) -> Iterator[tuple[Point, str]]:
    if sharing == "neutral" and split != "train":
        coins = ["yes", "no"] * (count // 2) + rng.sample(["yes", "no"], count % 2)
        rng.shuffle(coins)
        yield from ((draw_point(rng), coin) for coin in coins)
        return
    true = count // MISLED if sharing == "harms" and split == "test" else count
    yield from _labelled_by(kind.true, true, rng)
    yield from _labelled_by(kind.seed, count - true, rng)


def _labelled_by(rule: Rule, count: int, rng: random.Random) -> Iterator[tuple[Point, str]]:
    """Draw points that a rule is sure about: half of them yes, of an odd number one more no."""
    for number in range(count):
        wanted = number % 2 == 1
        while True:
            point = draw_point(rng)
            if rule.says_yes(point) == wanted and rule.margin(point) >= MARGIN:
                yield point, "yes" if wanted else "no"
                break
