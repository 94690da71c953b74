"""The paths of a run folder (docs/reference/run-layout.md)."""

from collections.abc import Collection
from pathlib import Path
from typing import Final

from hyperspace.kernel.errors import RunDamaged, RunUsageError
from hyperspace.kernel.files import settled, sha256_hex, sync_folder
from hyperspace.kernel.state.manifest import TEST, Closing

STAMPS: Final = "stamps.jsonl"  # says something on this machine alone
TRACE: Final = "llm_calls.jsonl"
TRUTH: Final = "truth.jsonl"  # in runs of earlier versions: what offline policies did, and why
EXPORT: Final = "export.json"  # in an exported copy alone
ACCESSES: Final = "accesses.jsonl"
TEST_WORK: Final = "test_eval"  # name of attempts at the final evaluation
REPLIES: Final = ".replies.json"  # that are still being written
DROPPED: Final = "llm_calls.dropped.json"  # in place of a trace that was not kept


class RunFolder:
    """Where each file of a run lies. Holds no state; the space is the state.

    Attributes:
        address: Of its space on a server, where the command line names one; `space_of` knows the
            one that is on record.
        is_restored: Whether this process made it from what the server keeps of the run.
    """

    def __init__(self, root: Path, address: str | None = None) -> None:
        self.root = root
        self.address = address
        self.is_restored = False
        self.record = root / "run_config.json"
        self.summary = root / "summary.json"
        self.space = root / "space.db"
        self.audit = root / "audit.jsonl"
        self.ledger = root / "ledger.jsonl"
        self.terms = root / "limits.json"
        self.adaptations = root / "adaptations.jsonl"
        self.served_models = root / "served_models.jsonl"
        self.replies = root / REPLIES
        self.task = root / "task.md"
        self.start = root / "start"
        self.kept_task = root / "task"
        self.extensions = root / "extensions"
        self.abandoned = root / "abandoned"
        self.best = root / "best"

    @property
    def views(self) -> tuple[Path, ...]:
        """The files beside the record and the space; without them a run goes on."""
        views = (self.summary, self.audit, self.ledger, self.terms, self.root / TRUTH, self.task)
        return (*views, self.adaptations, self.served_models, self.replies)

    @property
    def where(self) -> Path | str:
        """The folder, or the address of its space on a server."""
        return self.address or self.root

    def agent(self, agent: str) -> Path:
        """Folder of one agent."""
        return self.root / agent

    def agent_summary(self, agent: str) -> Path:
        """What one agent came to so far."""
        return self.agent(agent) / "summary.json"

    def archive(self, agent: str) -> Path:
        """One line a generation."""
        return self.agent(agent) / "archive.jsonl"

    def stamps(self, agent: str) -> Path:
        """Stamps of each generation's files."""
        return self.agent(agent) / STAMPS

    def generation(self, agent: str, generation: int) -> Path:
        """Folder of a generation that exists."""
        return self.agent(agent) / f"gen_{generation}"

    def work(self, agent: str, name: str) -> Path:
        """Folder of an attempt that is not closed yet (`gen_<n>` or `test_eval`)."""
        return self.agent(agent) / f".{name}"

    def test_eval(self, agent: str) -> Path:
        """Folder of an agent's final evaluation on the sealed test split."""
        return self.root / "test_eval" / agent

    def closed(self, closing: Closing) -> Path:
        """Folder of what was closed: a generation, or a final evaluation."""
        agent, generation = closing.manifest.agent, closing.manifest.generation
        return self.test_eval(agent) if generation == TEST else self.generation(agent, generation)

    def read_closed(self, closing: Closing, path: str) -> bytes:
        """Read one of the files that were closed with a generation.

        Raises:
            RunDamaged: It is missing or was changed.
        """
        file = self.closed(closing) / path
        try:
            data = file.read_bytes()
        except OSError as error:
            raise RunDamaged(f"{file} cannot be read: {error.strerror}") from error
        if sha256_hex(data) != closing.files[path]:
            raise RunDamaged(f"{file} was changed since its generation was closed")
        return data

    def set_aside(self, leftover: Path, agent: str, name: str) -> Path:
        """Move an unclosed attempt to `abandoned/` under the next free number."""
        self.abandoned.mkdir(parents=True, exist_ok=True)
        earlier = self.abandoned_attempts(agent, name)
        number = int(earlier[-1].name.rpartition("_")[2]) + 1 if earlier else 0
        target = self.abandoned / f"{agent}_{name}_{number}"
        leftover.rename(target)
        sync_folder(self.abandoned)
        return target

    def abandoned_attempts(self, agent: str, name: str) -> list[Path]:
        """Abandoned attempts at this, oldest first."""
        prefix = f"{agent}_{name}_"
        paths = [
            path for path in self.abandoned.glob(f"{prefix}*") if path.name[len(prefix) :].isdigit()
        ]
        return sorted(paths, key=lambda path: int(path.name[len(prefix) :]))


def was_dropped(folder: Path) -> bool:
    """Return whether the trace of what was closed in a folder was there and was not kept."""
    return (folder / DROPPED).is_file() and not (folder / TRACE).exists()


def require_free(folder: Path, left: Collection[Path] = (), agents: Collection[str] = ()) -> None:
    """Check that a folder may become a run's.

    Args:
        folder: It, or what is at its place.
        left: Paths in it that may be there, and temporary files beside them.
        agents: Whose folders may be there, with all that is in them.

    Raises:
        RunUsageError: It is something else, or holds something else.
    """
    if folder.exists() and not folder.is_dir():
        raise RunUsageError(f"{folder} is not a directory; use another --results folder")
    inside = (path.relative_to(folder) for path in folder.rglob("*"))
    if any(settled(path) not in left and path.parts[0] not in agents for path in inside):
        raise RunUsageError(f"{folder} is not empty and holds no run; use another --results folder")
