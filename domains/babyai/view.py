"""Says in words what the agent of a grid world sees, one fact a line."""

from collections.abc import Mapping

Spot = tuple[int, int]
"""Steps to the right (left if negative) and steps forward; the agent stands at (0, 0)."""

_AHEAD = {(0, 1): "forward", (-1, 0): "left", (1, 0): "right"}
_FARTHEST = 7


def describe(cells: Mapping[Spot, str], carrying: str = "") -> str:
    """Return the lines of an observation.

    Args:
        cells: What is visible where, such as "red ball", "locked grey door", "wall"; an empty text
            for a visible cell without anything.
        carrying: What the agent holds; empty for nothing.
    """
    lines = [f"carrying a {carrying}"] if carrying else []
    for (right, forward), word in _AHEAD.items():
        line = [cells.get((right * step, forward * step)) for step in range(1, _FARTHEST)]
        distance = next((step for step, cell in enumerate(line, 1) if cell != ""), 0)
        if distance and line[distance - 1] == "wall":
            lines.append(f"a wall {_steps(distance, word)}")
    things = ((spot, cell) for spot, cell in cells.items() if cell not in ("", "wall"))
    lines += [f"a {cell} {where(spot)}" for spot, cell in sorted(things, key=_by_distance)]
    return "\n".join(lines) or "nothing"


def where(spot: Spot) -> str:
    """Say where a spot is, seen from the agent."""
    right, forward = spot
    parts = [_steps(abs(right), "right" if right > 0 else "left")] if right else []
    parts += [_steps(forward, "forward")] if forward else []
    return " and ".join(parts)


def _by_distance(thing: tuple[Spot, str]) -> tuple[int, Spot, str]:
    (right, forward), cell = thing
    return abs(right) + forward, (right, forward), cell


def _steps(count: int, direction: str) -> str:
    return f"{count} step{'' if count == 1 else 's'} {direction}"
