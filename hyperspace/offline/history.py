"""An agent's view of the versions of its task agent, and choices that follow from it."""

import json
import re
import shlex
from collections.abc import Generator, Iterator
from typing import NamedTuple, cast

from hyperspace.offline.plan import PlanStep
from hyperspace.offline.tool_steps import Workspace, bash, copy
from hyperspace.offline.true_action import TrueAction

TOLERANCE = 0.1
"""How much worse than its best the current code may score: a search may lead through a dip."""

MOST_PATIENCE = 4
"""How many times longer a search may get while nothing improves."""


class VersionScores(NamedTuple):
    """The scores of one version of the task agent.

    Attributes:
        path: Folder with its task_agent.py.
        generation: Its number.
        val: Validation score; -1 if it has none.
        train: Train score; -1 if it has none.
        current: Whether its code equals the workspace's.
    """

    path: str
    generation: int
    val: float
    train: float
    current: bool

    @property
    def agent(self) -> str:
        """Who published it, where it lies in `strategies/`."""
        return self.path.rpartition("/")[2].rpartition("_gen")[0]


class ListedVersion(NamedTuple):
    """One version as a folder lists it.

    Attributes:
        path: Folder with its task_agent.py.
        current: Whether its code equals the workspace's.
        values: What its files say; where they name one thing twice, the last counts.
    """

    path: str
    current: bool
    values: dict[str, object]


def list_versions(folder: str, mine: str, *files: str) -> str:
    """The command that prints JSON files of all versions below a folder."""
    shown = " ".join(f'"$d/{file}"' for file in files)
    return (
        f'for d in {shlex.quote(folder)}/*/; do [ -f "$d/metadata.json" ] || continue; echo; '
        f'cmp -s "$d/task_agent.py" {shlex.quote(mine)} && echo "SAME $d" || echo "OTHER $d"; '
        f"cat {shown}; done"
    )


def parse_versions(listing: str) -> Iterator[ListedVersion]:
    """Read what `list_versions` printed; a version that cannot be read is left out."""
    for block in re.split(r"^(?=SAME |OTHER )", listing, flags=re.MULTILINE):
        head, _, body = block.partition("\n")
        kind, _, path = head.partition(" ")
        values = _objects(body)
        if path and values:
            yield ListedVersion(path.rstrip("/"), kind == "SAME", values)


def read_scores(
    say: str, space: Workspace, folder: str, action: TrueAction | None = None
) -> Generator[PlanStep, str, list[VersionScores]]:
    """Read the metadata of all versions below a folder, oldest generation first."""
    command = list_versions(space.at(folder), space.at("task_agent.py"), "metadata.json")
    listing = yield from bash(say, command, action)
    scores = [
        VersionScores(
            entry.path,
            int(_number(entry.values.get("generation"))),
            _number(entry.values.get("val_score")),
            _number(entry.values.get("train_score")),
            entry.current,
        )
        for entry in parse_versions(listing)
    ]
    return sorted(scores, key=lambda s: (s.generation, s.path))


def return_to_best(space: Workspace, history: list[VersionScores]) -> Generator[PlanStep, str, str]:
    """Restore the agent's own best version if the current one scored clearly worse.

    Returns:
        Folder with the evaluation of what is current afterwards.
    """
    if not history:
        return space.at("evals/gen_0")
    best = best_of(history)
    current = max((s for s in history if s.current), key=lambda s: s.val, default=None)
    if current is None or current.val >= best.val - TOLERANCE:
        return (current or history[-1]).path
    say = f"Generation {best.generation} scored {best.val:g}, the current code {current.val:g}."
    yield from copy(f"{say} I go back.", f"{best.path}/task_agent.py", space.at("task_agent.py"))
    return best.path


def best_of(history: list[VersionScores]) -> VersionScores:
    """The version with the best validation score; the earliest wins."""
    return max(history, key=lambda scores: (scores.val, -scores.generation))


def patience(history: list[VersionScores]) -> int:
    """How many times as long to search: longer the longer no generation was a new best."""
    if not history:
        return 1
    waited = history[-1].generation - best_of(history).generation
    return 1 + min(waited, MOST_PATIENCE)


def marks(scores: VersionScores) -> tuple[int, float, float]:
    """The scores that seed a search: no path, so that runs in two folders are equal."""
    return scores.generation, scores.train, scores.val


def _objects(text: str) -> dict[str, object]:
    """Join the JSON objects that a text consists of; empty if it is anything else."""
    merged: dict[str, object] = {}
    rest = text.strip()
    while rest:
        try:
            value, end = json.JSONDecoder().raw_decode(rest)
        except (ValueError, RecursionError):
            return {}
        merged |= cast(dict[str, object], value) if isinstance(value, dict) else {}
        rest = rest[end:].lstrip()
    return merged


def _number(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) else -1.0
