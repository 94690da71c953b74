"""Levels of the puzzle written as maps, a word of four letters a cell."""

from typing import Any


def level(*rows: str, cap: int = 100) -> dict[str, Any]:
    """Read a map without its ring of wall: blocks in capitals, objects in small letters, `.`."""
    grid = [row.split() for row in rows]
    cells = [(word, x, y) for y, row in enumerate(grid, 1) for x, word in enumerate(row, 1)]
    return {
        "kind": "map",
        "width": len(grid[0]) + 2,
        "height": len(grid) + 2,
        "blocks": [[word.lower(), x, y] for word, x, y in cells if word.isupper()],
        "objects": [[word, x, y] for word, x, y in cells if word.islower()],
        "cap": cap,
        "plan": 1,
    }
