"""Climbs to packings of circles by linear programs in sequence.

Given centres near which each circle stays, the best radii and small moves of all circles are one
linear program: the distance of two centres is convex, so its tangent bounds it from below, and
what the program finds is a packing. Programs in sequence climb to a rigid packing; perturbed
packings that climb higher are kept. It needs scipy.
"""

import json
import math
import random
import time
from importlib import import_module
from itertools import combinations
from typing import Any, NamedTuple

DIGITS = 15
MARGIN = 1e-14  # what each radius is shrunk by, so that decimals overlap nowhere
PROGRAMS = 60  # most linear programs of one climb
REACH = 0.1  # how far one program moves a centre in each direction
FAR = 0.8  # centres this far apart are left out of a program
ENOUGH = 1e-9  # a program that gains less ends a rough climb
PATIENCE = 40  # perturbations without a gain before a fresh start


class Box(NamedTuple):
    """A case: how many circles in which rectangle."""

    n: int
    width: float
    height: float


class Layout(NamedTuple):
    """A packing and its sum of radii."""

    total: float
    circles: list[tuple[float, float, float]]


def search(box: Box, rng: random.Random, seconds: float) -> Layout:
    """Climb from perturbed packings for so many CPU seconds; the best that was met."""
    end = time.process_time() + seconds
    best = current = climb(box, scattered(box, rng))
    misses = 0
    while time.process_time() < end:
        if misses > PATIENCE:
            current, misses = climb(box, scattered(box, rng)), 0
        other = climb(box, perturbed(box, current, rng))
        misses = 0 if other.total > current.total + 1e-7 else misses + 1
        current = max(current, other)
        best = max(best, current)
    return climb(box, best.circles, enough=0.0)


def scattered(box: Box, rng: random.Random) -> list[tuple[float, float, float]]:
    """Circles without size at random."""
    return [(rng.uniform(0, box.width), rng.uniform(0, box.height), 0.0) for _ in range(box.n)]


def perturbed(box: Box, layout: Layout, rng: random.Random) -> list[tuple[float, float, float]]:
    """Shake all circles, or put some elsewhere; all have no size."""
    moved = list(layout.circles)
    if rng.random() < 0.4:
        spread = rng.choice((0.01, 0.03, 0.06, 0.1))
        moved = [(x + rng.gauss(0, spread), y + rng.gauss(0, spread), r) for x, y, r in moved]
    else:
        for index in rng.sample(range(box.n), rng.choice((1, 1, 2, 3))):
            moved[index] = scattered(box, rng)[0]
    return [(min(max(x, 0), box.width), min(max(y, 0), box.height), 0.0) for x, y, _ in moved]


def climb(box: Box, circles: list[tuple[float, float, float]], enough: float = ENOUGH) -> Layout:
    """Solve linear programs in sequence until one gains too little."""
    layout = Layout(sum(r for _, _, r in circles), circles)
    for _ in range(PROGRAMS):
        circles = improved(box, layout.circles)
        total = sum(r for _, _, r in circles)
        gain, layout = total - layout.total, max(layout, Layout(total, circles))
        if gain <= enough:
            break
    return layout


def improved(
    box: Box, circles: list[tuple[float, float, float]]
) -> list[tuple[float, float, float]]:
    """Best radii and moves of at most REACH, by the tangents of the distances."""
    n = len(circles)
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    bounds: list[float] = []

    def add(entries: dict[int, float], bound: float) -> None:
        rows.extend([len(bounds)] * len(entries))
        columns.extend(entries)
        values.extend(entries.values())
        bounds.append(bound)

    for i, (x, y, _) in enumerate(circles):  # variables: new x, new y, new r of each circle
        add({3 * i: -1.0, 3 * i + 2: 1.0}, 0.0)
        add({3 * i: 1.0, 3 * i + 2: 1.0}, box.width)
        add({3 * i + 1: -1.0, 3 * i + 2: 1.0}, 0.0)
        add({3 * i + 1: 1.0, 3 * i + 2: 1.0}, box.height)
        for j in range(i):
            dx, dy = x - circles[j][0], y - circles[j][1]
            distance = math.hypot(dx, dy)
            if distance < FAR:
                u, v = (dx / distance, dy / distance) if distance else (1.0, 0.0)
                add(
                    {
                        3 * i: -u,
                        3 * i + 1: -v,
                        3 * i + 2: 1.0,
                        3 * j: u,
                        3 * j + 1: v,
                        3 * j + 2: 1.0,
                    },
                    0.0,
                )
    limits = [
        limit
        for x, y, _ in circles
        for limit in ((x - REACH, x + REACH), (y - REACH, y + REACH), (0.0, None))
    ]
    optimize: Any = import_module("scipy.optimize")
    sparse: Any = import_module("scipy.sparse")
    matrix = sparse.csr_array((values, (rows, columns)), shape=(len(bounds), 3 * n))
    goal = [0.0, 0.0, -1.0] * n
    result = optimize.linprog(goal, A_ub=matrix, b_ub=bounds, bounds=limits, method="highs-ds")
    if result.x is None:
        return circles
    x = [float(value) for value in result.x]
    return [(x[3 * i], x[3 * i + 1], x[3 * i + 2]) for i in range(n)]


def as_answer(box: Box, layout: Layout) -> str:
    """Write a packing as an answer whose decimals are valid exactly.

    The linear programs keep their bounds to about 1e-9 only, and decimals are rounded: radii are
    shrunk until no circle overlaps or stands out.
    """
    centres = [(round(x, DIGITS), round(y, DIGITS)) for x, y, _ in layout.circles]
    radii = [
        min(r, x, box.width - x, y, box.height - y)
        for (x, y), (_, _, r) in zip(centres, layout.circles, strict=True)
    ]
    for i, j in combinations(range(box.n), 2):
        excess = radii[i] + radii[j] - math.dist(centres[i], centres[j])
        if excess > 0:
            radii[i] -= excess / 2
            radii[j] -= excess / 2
    circles = [[x, y, round(r - MARGIN, DIGITS)] for (x, y), r in zip(centres, radii, strict=True)]
    return json.dumps({"circles": circles})
