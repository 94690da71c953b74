"""One mission as an episode; lives in the child process."""

from typing import Any

from hyperspace.tasks.babyai.levels import expert_steps, make_level
from hyperspace.tasks.babyai.score import ACTIONS, DEFAULT, Spot, describe
from hyperspace.tasks.shapes.outcome import Outcome


class BabyAiGame:
    """An `Episode` of minigrid."""

    def __init__(self, inputs: dict[str, Any]) -> None:
        self._level = make_level(inputs)
        self._expert_steps = expert_steps(inputs)
        self._steps = 0
        self._illegal = 0
        self._success = False
        self._over = False
        self._previous = ""
        self._notice = ""

    def observe(self) -> dict[str, Any] | None:
        """Tell what is seen; see `Episode`."""
        if self._over:
            return None
        return {
            "instruction": self._level.mission,
            "observation": describe(self._cells(), _name(self._level.carrying)),
            "prev_action": self._previous,
            "notice": self._notice,
            "steps_left": self._level.max_steps - self._steps,
        }

    def act(self, action: str) -> None:
        """Take one step; see `Episode`."""
        word = action.strip().lower()
        self._notice = ""
        if word not in ACTIONS:
            self._illegal += 1
            self._notice = f"this was no action; {DEFAULT} was taken"
            word = DEFAULT
        _, reward, terminated, truncated, _ = self._level.step(ACTIONS.index(word))
        self._steps += 1
        self._previous = word
        self._success = bool(terminated and reward > 0)
        self._over = bool(terminated or truncated)

    def outcome(self) -> Outcome:
        """Return success as the score; see `Episode`."""
        steps, expert = self._steps, self._expert_steps
        return Outcome(
            float(self._success),
            f"{'reached' if self._success else 'not reached'} in {steps} steps: "
            f"{self._level.mission}",
            details={
                "steps": steps,
                "expert_steps": expert,
                "efficiency": round(min(1.0, expert / steps), 3) if self._success else 0.0,
                "illegal": self._illegal,
            },
        )

    def draw(self) -> str:
        """Return the grid and the mission."""
        return f"{self._level.pprint_grid()}\n{self._level.mission}"

    def close(self) -> None:
        """Let go of the grid."""
        self._level.close()

    def _cells(self) -> dict[Spot, str]:
        grid, visible = self._level.gen_obs_grid()
        middle, nearest = grid.width // 2, grid.height - 1
        return {
            (column - middle, nearest - row): _name(grid.get(column, row))
            for column in range(grid.width)
            for row in range(grid.height)
            if visible[column, row] and (column, row) != (middle, nearest)
        }


def _name(thing: Any) -> str:
    """Name what lies in a cell; empty for nothing."""
    if thing is None:
        return ""
    if thing.type == "wall":
        return "wall"
    if thing.type != "door":
        return f"{thing.color} {thing.type}"
    state = "open" if thing.is_open else "locked" if thing.is_locked else "closed"
    return f"{state} {thing.color} door"


def make(inputs: dict[str, Any]) -> BabyAiGame:
    """Make the episode of an item; called in the child."""
    return BabyAiGame(inputs)
