"""What an agent knows of code versions on any task: validity, errors, scores and which way is up.

Unlike `history`, nothing here takes it for granted that a higher score is better: the reports in
`evals/` say so, and where none does, scores are not compared.
"""

import random
from collections.abc import Generator, Sequence
from typing import NamedTuple

from hyperspace.offline.conversation import draw_seed
from hyperspace.offline.history import ListedVersion, list_versions, parse_versions
from hyperspace.offline.plan import PlanStep
from hyperspace.offline.tool_steps import Workspace, bash
from hyperspace.offline.true_action import TrueAction

OWN, PEERS = "evals", "strategies"

DIP = 0.25
"""How far a search may lead down, as a share of the way from the best score to the worst."""


class Version(NamedTuple):
    """One version of the task agent.

    Attributes:
        path: Folder with its task_agent.py.
        agent: Who published it; empty for an own one.
        generation: Its number; -1 if it has none.
        valid: Whether it passed its gates; published ones have.
        error: Why it did not.
        val: Validation score; None if it has none.
        train: Train score; None if it has none.
        current: Whether its code equals the workspace's.
    """

    path: str
    agent: str
    generation: int
    valid: bool
    error: str
    val: float | None
    train: float | None
    current: bool

    @property
    def code(self) -> str:
        """Path of its task agent."""
        return f"{self.path}/task_agent.py"


class VersionRecord(NamedTuple):
    """An agent's own versions, oldest first, and the direction of their scores.

    Attributes:
        versions: The versions in sight.
        higher_is_better: None if no report says which way is up.
    """

    versions: tuple[Version, ...]
    higher_is_better: bool | None

    @property
    def generation(self) -> int:
        """The generation that is being made."""
        return max((version.generation for version in self.versions), default=-1) + 1

    @property
    def best(self) -> Version | None:
        """The best valid version, the earliest of equals; None if none was scored."""
        return self.best_among([version for version in self.versions if version.valid])

    @property
    def now(self) -> Version | None:
        """The scored version that the workspace holds; None if it holds none of them."""
        return self.best_among([version for version in self.versions if version.current])

    def best_among(self, versions: Sequence[Version]) -> Version | None:
        """The best of some versions, the earliest of equals; None if none was scored."""
        scored = [version for version in versions if version.val is not None]
        return max(scored, key=self._worth, default=None)

    def is_better(self, version: Version, other: Version | None) -> bool:
        """True if a version is scored and strictly better than another; anything beats none."""
        if version.val is None or other is None or other.val is None:
            return version.val is not None
        return self._worth(version) > self._worth(other)

    def is_clearly_worse(self, version: Version | None) -> bool:
        """True if a version lies far below the best one: DIP of the way to the worst, or unscored.

        What counts as far follows from the scores seen, because no scale is known.
        """
        if version is None or version.val is None or self.best is None:
            return self.best is not None
        worths = [self._worth(version) for version in self.versions if version.val is not None]
        return max(worths) - self._worth(version) > DIP * (max(worths) - min(worths))

    def waited(self) -> int:
        """Generations since the best one."""
        return self.generation - 1 - self.best.generation if self.best else 0

    def _worth(self, version: Version) -> float:
        sign = {True: 1.0, False: -1.0, None: 0.0}[self.higher_is_better]
        return sign * (version.val or 0.0)


class Situation(NamedTuple):
    """Where a policy stands at the start of a generation.

    Attributes:
        space: The workspace.
        record: What it knows of its own versions.
        seed: The request's seed.
    """

    space: Workspace
    record: VersionRecord
    seed: int

    @property
    def generation(self) -> int:
        """The generation that is being made."""
        return self.record.generation

    @property
    def code(self) -> str:
        """Path of the task agent."""
        return self.space.at("task_agent.py")

    @property
    def items(self) -> str:
        """Path of the training items."""
        return self.space.at(f"{OWN}/train_items.jsonl")

    @property
    def scorer(self) -> str:
        """Path of the scorer that a task without labels publishes."""
        return self.space.at("task/score.py")

    def seed_for(self, name: str) -> int:
        """A seed of this generation's own."""
        return draw_seed(name, self.seed, self.generation)

    def chance(self, name: str, share: float) -> bool:
        """Draw whether something happens that happens in a share of generations."""
        rng = random.Random(self.seed_for(name))  # noqa: S311 - a habit, no secret
        return rng.random() < share


def read_record(space: Workspace) -> Generator[PlanStep, str, VersionRecord]:
    """Read what is known of the agent's own versions."""
    command = list_versions(
        space.at(OWN), space.at("task_agent.py"), "metadata.json", "eval_train/report.json"
    )
    listing = yield from bash("I look at my earlier generations.", f"{{ {command}; }} 2>/dev/null")
    entries = list(parse_versions(listing))
    directions = [entry.values.get("higher_is_better") for entry in entries]
    told = next((value for value in directions if isinstance(value, bool)), None)
    return VersionRecord(_in_order(entries), told)


def read_peers(
    space: Workspace, say: str, why: str
) -> Generator[PlanStep, str, tuple[Version, ...]]:
    """Look into strategies/: what is published, oldest generation first."""
    command = list_versions(space.at(PEERS), space.at("task_agent.py"), "metadata.json")
    listing = yield from bash(say, f"{{ {command}; }} 2>/dev/null", TrueAction("read_peer", why))
    return _in_order(list(parse_versions(listing)))


def _in_order(entries: Sequence[ListedVersion]) -> tuple[Version, ...]:
    versions = [
        Version(
            path=entry.path,
            agent=str(entry.values.get("agent", "")),
            generation=int(_number(entry.values.get("generation")) or 0),
            valid=entry.values.get("valid", True) is True,
            error=str(entry.values.get("error") or ""),
            val=_number(entry.values.get("val_score")),
            train=_number(entry.values.get("train_score")),
            current=entry.current,
        )
        for entry in entries
    ]
    return tuple(sorted(versions, key=lambda v: (v.generation, v.path)))


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None
