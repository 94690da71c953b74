"""Plays NetHack by its map: walks straight to what it looks for, else wherever there is a way."""

from typing import Any

TARGETS = [">"]
"""Characters of the map to walk to, the most wanted first."""
WALKABLE = [".", "#", ">", "+"]
"""Characters that can be stepped on."""
MOVES = [("east", 1, 0), ("south", 0, 1), ("west", -1, 0), ("north", 0, -1)]
"""Actions with their steps across and down the map, in the order in which they are tried."""
BLOCKED = 2
"""Visits that a cell counts for each time that a step to it did not get there."""
STATUS_LINES = 2
"""Lines at the end of the map that are none of it."""


class TaskAgent:
    """Plays one game, without asking a model."""

    def __init__(self, model: str, log_file: str = "") -> None:
        self.model = model
        self.log_file = log_file
        self.visits: dict[tuple[int, int], int] = {}
        self.target: tuple[int, int] | None = None
        self.tried: tuple[int, int] | None = None

    def forward(self, inputs: dict[str, Any]) -> tuple[str, list[dict[str, str]]]:
        """Return the next action and the (empty) conversation."""
        rows = inputs["map"][:-STATUS_LINES]
        here = (inputs["x"], inputs["y"])
        self.visits[here] = self.visits.get(here, 0) + 1
        if self.tried is not None and self.tried != here:
            self.visits[self.tried] = self.visits.get(self.tried, 0) + BLOCKED
        if here == self.target and "down" in inputs["actions"]:
            return "down", []
        self.target = self.look_for(rows)
        return self.step(rows, here), []

    def look_for(self, rows: list[str]) -> tuple[int, int] | None:
        """Return where the first target on the map is."""
        for character in TARGETS:
            for y, row in enumerate(rows):
                if character in row:
                    return row.index(character), y
        return None

    def step(self, rows: list[str], here: tuple[int, int]) -> str:
        """Return the move to the cell that is nearest to the target and was stood on least."""
        best, least, self.tried = MOVES[self.visits[here] % len(MOVES)][0], float("inf"), None
        for action, across, down in MOVES:
            x, y = here[0] + across, here[1] + down
            if character_at(rows, x, y) not in WALKABLE:
                continue
            cost: float = self.visits.get((x, y), 0)
            if self.target is not None:
                cost += max(abs(self.target[0] - x), abs(self.target[1] - y))
            if cost < least:
                best, least, self.tried = action, cost, (x, y)
        return best


def character_at(rows: list[str], x: int, y: int) -> str:
    """Return the character of a cell; a blank beyond the map."""
    return rows[y][x] if 0 <= y < len(rows) and 0 <= x < len(rows[y]) else " "
