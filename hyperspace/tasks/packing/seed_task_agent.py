"""Packs circles of any radii: a grid, then a descent that trades radius against overlap."""

import json
import math
import random
from typing import Any

Circle = list[float]  # x, y, r

# The descent goes through levels: at each, overlap costs more and steps are shorter.
LEVELS = 2
FIRST_COST = 10.0  # of overlap, at the first level; a radius is worth 1
STEEPER = 10.0  # times the cost of the level before
STEPS = 20  # at each level
RATE = 0.1  # of a step, where overlap costs 1
KEPT = 0.3  # share of the last step that goes on
DOUBLINGS = 1  # descents: 2 to this power; the best one counts
JITTER = 0.1  # of the first centres, as a share of a grid cell
FIRST_RADIUS = 0.3  # as a share of a grid cell
FASTEST = 0.02  # how far a coordinate or a radius moves in one step
NEAR = 1.5  # pairs are looked at whose distance is below this many sums of radii
LOOK = 10  # steps after which pairs are looked for again
LEAST = 0.001  # radius of a circle that was squeezed out
MARGIN = 1e-14  # what radii are shrunk by, so that decimals overlap nowhere
DIGITS = 15


def grid(n: int, width: float, height: float, rng: random.Random) -> list[Circle]:
    """Circles of one size on a grid of as many columns as fit the rectangle, a bit shaken."""
    columns = max(1, round(math.sqrt(n * width / height)))
    rows = -(-n // columns)
    dx, dy = width / columns, height / rows
    radius = FIRST_RADIUS * min(dx, dy)
    return [
        [
            dx * (index % columns + 0.5 + rng.uniform(-JITTER, JITTER)),
            dy * (index // columns + 0.5 + rng.uniform(-JITTER, JITTER)),
            radius,
        ]
        for index in range(n)
    ]


def pairs_near(circles: list[Circle]) -> list[tuple[int, int]]:
    """The pairs that may come to overlap soon."""
    near: list[tuple[int, int]] = []
    for i, (x, y, r) in enumerate(circles):
        for j in range(i):
            other = circles[j]
            reach = NEAR * (r + other[2])
            if (x - other[0]) ** 2 + (y - other[1]) ** 2 < reach * reach:
                near.append((i, j))
    return near


def push(
    circles: list[Circle], near: list[tuple[int, int]], cost: float, width: float, height: float
) -> list[Circle]:
    """Where each circle is drawn to: radii up, and away from what it overlaps."""
    forces: list[Circle] = []
    for x, y, r in circles:
        left, right = max(0.0, r - x), max(0.0, x + r - width)
        low, high = max(0.0, r - y), max(0.0, y + r - height)
        outside = left + right + low + high
        forces.append([cost * (left - right), cost * (low - high), 1.0 - cost * outside])
    for i, j in near:
        a, b = circles[i], circles[j]
        dx, dy = a[0] - b[0], a[1] - b[1]
        reach = a[2] + b[2]
        square = dx * dx + dy * dy
        if 0.0 < square < reach * reach:
            distance = math.sqrt(square)
            force = cost * (reach - distance)
            fx, fy = force * dx / distance, force * dy / distance
            first, second = forces[i], forces[j]
            first[0] += fx
            first[1] += fy
            first[2] -= force
            second[0] -= fx
            second[1] -= fy
            second[2] -= force
    return forces


def descend(circles: list[Circle], width: float, height: float) -> list[Circle]:
    """Follow the forces through all levels."""
    speeds = [[0.0] * 3 for _ in circles]
    near: list[tuple[int, int]] = []
    for level in range(LEVELS):
        cost = FIRST_COST * STEEPER**level
        for step in range(STEPS):
            if step % LOOK == 0:
                near = pairs_near(circles)
            forces = push(circles, near, cost, width, height)
            for circle, speed, force in zip(circles, speeds, forces, strict=True):
                for axis in range(3):
                    wanted = KEPT * speed[axis] + RATE / cost * force[axis]
                    speed[axis] = max(-FASTEST, min(FASTEST, wanted))
                    circle[axis] += speed[axis]
    return circles


def valid(circles: list[Circle], width: float, height: float) -> list[Circle]:
    """Round the centres, shrink radii until nothing overlaps, let each grow where there is room."""
    rounded = [
        [
            round(min(max(x, LEAST), width - LEAST), DIGITS),
            round(min(max(y, LEAST), height - LEAST), DIGITS),
            max(r, LEAST),
        ]
        for x, y, r in circles
    ]
    walls = [min(x, y, width - x, height - y) for x, y, _ in rounded]
    radii = [min(circle[2], wall) for circle, wall in zip(rounded, walls, strict=True)]
    distances = [[math.dist(a[:2], b[:2]) for b in rounded] for a in rounded]
    for i, row in enumerate(distances):
        for j in range(i):
            excess = radii[i] + radii[j] - row[j]
            if excess > 0.0:
                share = radii[i] / (radii[i] + radii[j])
                radii[i] -= excess * share
                radii[j] -= excess * (1.0 - share)
    for i, row in enumerate(distances):
        room = [row[j] - radii[j] for j in range(len(row)) if j != i]
        radii[i] = max(radii[i], min([walls[i], *room]))
    return [[x, y, round(r - MARGIN, DIGITS)] for (x, y, _), r in zip(rounded, radii, strict=True)]


def pack(inputs: dict[str, Any]) -> list[Circle]:
    """The best of some descents."""
    width, height = inputs["width"], inputs["height"]
    rng = random.Random(inputs["seed"])
    layouts: list[list[Circle]] = []
    for _ in range(2**DOUBLINGS):
        first = grid(inputs["n"], width, height, rng)
        layouts.append(valid(descend(first, width, height), width, height))
    return max(layouts, key=lambda circles: sum(r for _, _, r in circles))


class TaskAgent:
    """Answers one item at a time, without asking a model."""

    def __init__(self, model: str, log_file: str = "") -> None:
        self.model = model
        self.log_file = log_file

    def forward(self, inputs: dict[str, Any]) -> tuple[str, list[dict[str, str]]]:
        """Return the circles as JSON, and the (empty) conversation."""
        return json.dumps({"circles": pack(inputs)}), []
