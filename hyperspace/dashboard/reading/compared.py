"""Two generations and their files, as an address names them: `AGENT:N`."""

from typing import NamedTuple

from hyperspace.dashboard.errors import BadQuery, NotThere
from hyperspace.dashboard.question import Question
from hyperspace.dashboard.results.arrows import UNNAMED
from hyperspace.reporting.text_changes import TextChanges, text_changes
from hyperspace.runs.files import META, TASK
from hyperspace.runs.records import Generation, RunAgent
from transfer_experiment.adoption.provenance import own_file


class CodeVersion(NamedTuple):
    """A generation of an agent.

    Attributes:
        agent: Whose.
        turn: Which.
    """

    agent: RunAgent
    turn: Generation

    @property
    def name(self) -> str:
        """What an address calls it."""
        return f"{self.agent.name or UNNAMED}:{self.turn.generation}"

    @property
    def before(self) -> Generation | None:
        """The generation of this agent before it."""
        at = self._at()
        return self.agent.generations[at - 1] if at else None

    @property
    def after(self) -> Generation | None:
        """The generation of this agent after it."""
        rows, at = self.agent.generations, self._at() + 1
        return rows[at] if at < len(rows) else None

    def _at(self) -> int:
        return self.agent.index(self.turn.generation)

    def read(self, file: str) -> str | None:
        """Return the text of a file; None if it has none, or it cannot be read."""
        stored = own_file(self.turn, file)
        return None if stored is None else stored.read()

    def size_bytes(self, file: str) -> int | None:
        """Return the size of a file; None if it has none, or that is not known."""
        stored = own_file(self.turn, file)
        return None if stored is None else stored.size_bytes()

    def files(self) -> tuple[str, ...]:
        """Return the paths of its own code, the task agent first."""
        return (TASK, META, *sorted(self.turn.own_files))


def version(question: Question, text: str) -> CodeVersion:
    """Return the generation that a text such as `tinker:4` names.

    Raises:
        BadQuery: It names none.
        NotThere: The run has no such agent, or the agent no such generation.
    """
    agent, colon, number = text.rpartition(":")
    if not (colon and agent):
        raise BadQuery(f"{text[:80]!r} names no generation; write AGENT:N, such as tinker:4")
    there = question._replace(path={**question.path, "agent": agent, "generation": number})
    return CodeVersion(there.agent(), there.generation())


def file_of(question: Question, *versions: CodeVersion) -> str:
    """Return the file that is asked for, the task agent if none is.

    Raises:
        NotThere: None of the generations has it.
    """
    file = question.text("file", TASK, 4096) or TASK
    files = sorted({path for each in versions for path in each.files()})
    if file not in files:
        raise NotThere(f"the code has no file {file[:80]!r}; it has {', '.join(files)[:2000]}")
    return file


def changes_between(before: CodeVersion, after: CodeVersion, file: str) -> TextChanges | None:
    """Compare a file of two generations; None if neither can be read."""
    old, new = before.read(file), after.read(file)
    return None if old is None and new is None else text_changes(old or "", new or "")
