"""The items of `packing`: how many circles in which rectangle, and a seed for random numbers."""

from hyperspace.tasks.base import Item, Split
from hyperspace.tasks.streams import stream

SQUARES: dict[Split, tuple[int, ...]] = {
    "train": (10, 13, 17, 21, 24, 28),
    "val": (11, 15, 19, 23, 27, 30),
    "test": (26, 32, 12, 18, 22, 29),
}
"""Numbers of circles in the unit square."""

HEIGHTS = {1.0: 1.0, 1.25: 0.8, 1.28: 0.78125, 1.5625: 0.64, 1.6: 0.625}
"""Heights of rectangles of area 1 by their width; both are decimals exactly."""

RECTANGLES = ((14, 1.25), (16, 1.28), (20, 1.5625), (25, 1.6))
"""Number of circles and width of the rectangles, which test alone has."""

SMOKE = 5
"""Number of circles of the smoke item, in the square."""

SEEDS_OF_AN_EPOCH = 1_000_000


def draw_items(split: Split, rows_seed: int, epoch: int = 0) -> list[Item]:
    """Make a split's items; what is drawn are their seeds, which no two epochs have in common."""
    cases = [(n, 1.0) for n in SQUARES[split]]
    if split == "test":
        cases += RECTANGLES
    prefix = f"{split}-{epoch}" if epoch else split
    rng = stream("packing", rows_seed, prefix)
    items: list[Item] = []
    for index, (n, width) in enumerate(cases):
        seed = SEEDS_OF_AN_EPOCH * epoch + rng.randrange(SEEDS_OF_AN_EPOCH)
        inputs = {"n": n, "width": width, "height": HEIGHTS[width], "seed": seed}
        items.append(Item(f"{prefix}-{index:04d}", inputs))
    return items
