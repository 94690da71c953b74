"""Plays missions in a grid world: looks for what the mission names, and walks there."""

from typing import Any

VERBS = [("pick up", "pick up"), ("open", "pick up"), ("go to", "go forward")]
"""Words of a mission, and what to do beside its object; the first pair that fits decides."""
SEARCH = ["turn left", "go forward", "go forward"]
"""What to do, in turn, while the object is not in view."""
TYPES = ["ball", "box", "door"]
REACH = 1
"""Steps forward at which the object is in reach."""


def facts(observation: str) -> list[tuple[str, int, int]]:
    """Return what is in view: its words, steps to the right (left is negative), steps forward."""
    things: list[tuple[str, int, int]] = []
    for line in observation.splitlines():
        words = line.split()
        if len(words) < 2 or words[0] != "a":
            continue
        right = forward = 0
        for number, unit, direction in zip(words, words[1:], words[2:], strict=False):
            if unit.startswith("step"):
                if direction == "forward":
                    forward = int(number)
                else:
                    right = int(number) if direction == "right" else -int(number)
        name = [word for word in words[1:] if not word.isdigit()]
        things.append((" ".join(name).partition(" step")[0], right, forward))
    return things


def objects(instruction: str) -> list[str]:
    """Return the objects that a mission names, each as its words of colour and type."""
    words = instruction.replace(",", "").split()
    names: list[str] = []
    for index, word in enumerate(words):
        if word in TYPES:
            before = words[index - 1]
            names.append(word if before in ("a", "the") else f"{before} {word}")
    return names


class TaskAgent:
    """Plays one episode, without asking a model."""

    def __init__(self, model: str, log_file: str = "") -> None:
        self.model = model
        self.log_file = log_file
        self.steps = 0

    def forward(self, inputs: dict[str, Any]) -> tuple[str, list[dict[str, str]]]:
        """Return the next action and the (empty) conversation."""
        self.steps += 1
        return self.decide(inputs["instruction"], facts(inputs["observation"])), []

    def decide(self, instruction: str, things: list[tuple[str, int, int]]) -> str:
        """Walk to the first object of the mission that is in view, then do what its verb says."""
        targets = objects(instruction)
        for name, right, forward in things:
            if targets and name.endswith(targets[0]):
                return self.approach(instruction, right, forward)
        return SEARCH[self.steps % len(SEARCH)]

    def approach(self, instruction: str, right: int, forward: int) -> str:
        """Go forward first, then to the side; act once the object is in reach."""
        if right == 0 and forward == REACH:
            return next((action for words, action in VERBS if words in instruction), "toggle")
        if forward > 0:
            return "go forward"
        return "turn right" if right > 0 else "turn left"
