"""What a research run keeps on record: its configuration, and each idea when it is closed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from hyperspace.executor.jobs import CountedBy
from hyperspace.research.environments.description import Goal
from hyperspace.research.jobs.scoring import JobState

FORMAT: Final = 1
BASELINE: Final = 0
"""Number of the repository as it is; ideas begin at 1."""

IdeaKind = Literal["baseline", "exploit", "explore"]
IdeaState = JobState | Literal["refused"]
Arm = Literal["search", "none", "shuffled", "best_of_n"]


class ResearchConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that decides a run's result, given equal model answers.

    Attributes:
        environment: Name of the environment.
        environment_sha256: Of its repository, its evaluation and its description.
        models: Names as people wrote them; ideas take turns at them.
        epochs: How many.
        ideas: How many an epoch.
        explore: Share of an epoch's ideas that are new; None follows the design's schedule.
        repairs: How often a diff that is refused goes back to its model.
        seed: The run seed.
        sandbox: Where jobs run.
        arm: `search` shows every author all ideas of earlier epochs; `none` its own alone;
            `shuffled` all, those of others that were trained with each other's results; `best_of_n`
            nothing.
    """

    environment: str
    environment_sha256: str
    models: tuple[str, ...]
    epochs: int
    ideas: int
    explore: float | None
    repairs: int
    seed: int
    sandbox: str
    arm: Arm

    def author(self, number: int) -> str:
        """Name of who has an idea."""
        return f"ideator-{(number - 1) % len(self.models)}"

    def model(self, number: int) -> str:
        """Model of who has an idea."""
        return self.models[(number - 1) % len(self.models)]

    @property
    def authors(self) -> tuple[str, ...]:
        """Names of all who have ideas."""
        return tuple(self.author(1 + turn) for turn in range(len(self.models)))


class ResearchRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of research.json.

    Attributes:
        format: Version of this record.
        configuration: What decides the result.
        env: The environment as it was named; a folder by its absolute path.
        env_config: Absolute path of its env.toml, where that lies elsewhere; else None.
        scale: The scale of the environment; None for none.
        data: Absolute paths of folders that jobs read, by name.
        command: The command line of the first start.
        started_utc: When that was.
        versions: Of this program, Python and its packages.
        metric: Name of the score; empty in records of before.
        goal: Which score is better; None in records of before.
        has_held_out: Whether the winner is judged once more when the search is over.
        slots: Jobs at a time, as the first start said.
    """

    format: int
    configuration: ResearchConfig
    env: str
    env_config: str | None
    command: tuple[str, ...]
    started_utc: str
    versions: dict[str, str]
    metric: str = ""
    goal: Goal | None = None
    slots: int = 2
    scale: str | None = None
    data: dict[str, str] = {}
    has_held_out: bool = False

    @property
    def folders(self) -> dict[str, Path]:
        """Folders that jobs read, by name."""
        return {name: Path(path) for name, path in self.data.items()}

    def with_data(self, folders: Mapping[str, Path]) -> "ResearchRecord":
        """Return the record with some of these folders where they lie now."""
        now = {name: str(path.resolve()) for name, path in folders.items()}
        return msgspec.structs.replace(self, data=self.data | now)


class DiffTry(msgspec.Struct, frozen=True):
    """One try at a diff.

    Attributes:
        diff: As its model gave it; empty where its reply held none.
        gate: The gate that refused it; empty where it passed.
        why: What its model was told.
    """

    diff: str
    gate: str = ""
    why: str = ""


class IdeaManifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the digest covers of an idea.

    Attributes:
        number: From 1 on; 0 is the repository as it is.
        epoch: From 0 on.
        author: Who had it; empty for the baseline.
        kind: Whether it builds upon the best, or is to be new.
        parent: The idea whose repository it changed; 0 for the repository as it is.
        shown: Ideas whose results its model saw.
        gates: What became of each diff: a gate's name, or empty where it passed.
        tree_sha256: Of the repository that was trained; empty where there was none.
        state: What came of it; `refused` where no diff passed.
        score: Rounded as the environment has it; None where there is none.
        calls: Model calls in canonical form, texts as hashes.
    """

    number: int
    epoch: int
    author: str
    kind: IdeaKind
    parent: int
    shown: tuple[int, ...]
    gates: tuple[str, ...]
    tree_sha256: str
    state: IdeaState
    score: float | None
    calls: tuple[dict[str, Any], ...]


class ClosedIdea(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An idea that exists: the content of its closing mark.

    Attributes:
        manifest: What the digest covers.
        text: The idea in words.
        diff: From the repository as it is to the one that was trained; empty where there was none.
        tries: Every diff that its model gave, with what it was told.
        reason: Why there is no score, in one sentence; empty where there is one.
        artefacts: SHA-256 of what its job left, by path.
        judged: The last line of an evaluation that failed; shown to people, and to no model.
        log: The last 4,000 characters of what its job printed; shown to people, believed by nobody.
        cpu_s: CPU seconds of its jobs.
        cpu_by: Who counted those of its training; empty in records of before.
    """

    manifest: IdeaManifest
    text: str
    diff: str
    tries: tuple[DiffTry, ...]
    reason: str
    artefacts: dict[str, str]
    log: str
    cpu_s: float
    judged: str = ""
    cpu_by: CountedBy = ""

    @property
    def number(self) -> int:
        """Its number."""
        return self.manifest.number

    @property
    def score(self) -> float | None:
        """Its score."""
        return self.manifest.score


class HeldOut(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What came of the held-out evaluation: the content of its mark. The digest covers it all.

    Attributes:
        idea: The winner of the search; 0 where the repository as it is won.
        score: The winner's score; None where there is none.
        baseline: The score of the repository as it is; None where there is none.
        reason: Why one is missing, in one sentence; empty where both are there.
    """

    idea: int
    score: float | None
    baseline: float | None
    reason: str = ""
