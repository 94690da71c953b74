"""One generation step by step: what each reply was shown, what it typed, which files were used.

Step k is the time between reply k and reply k + 1; step 0 is before the first. What the tools say
in step k is shown in the request for reply k + 1. A request that the provider refused is a step
with an empty reply.
"""

import re
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from hyperspace.kernel.state.folder import ACCESSES
from hyperspace.runs.trace import TraceLine
from transfer_experiment.turns.evidence import Evidence
from transfer_experiment.turns.path_step import QUOTE_CHARACTERS, PathKind, PathStep
from transfer_experiment.turns.steps import TraceSteps, tool_uses
from transfer_experiment.turns.texts import SeenText

if TYPE_CHECKING:
    from hyperspace.kernel.generation.observing.accesses import Accesses, ObservedAccess

SCRATCH: Final = "/tmp/"  # noqa: S108 - compared with, never opened
_UNBROKEN: Final = re.compile(r"\S{32,}")


class Display(NamedTuple):
    """A message that a request shows for the first time, and whether a tool said it."""

    text: SeenText
    by_tool: bool


class Reply:
    """One reply of the model, with what its request showed.

    Attributes:
        trace: Its line of the trace.
        shown: The messages that were new in its request.
    """

    def __init__(self, trace: TraceLine) -> None:
        self.trace = trace
        self.shown = tuple(Display(SeenText(text), by_tool) for text, by_tool in trace.shown)

    @cached_property
    def typed(self) -> SeenText:
        """All that the model wrote."""
        return SeenText("\n".join((self.in_calls, self.trace.response, self.trace.thinking)))

    @cached_property
    def in_calls(self) -> str:
        """What it wrote into tool calls; empty if it made none."""
        calls = tool_uses(self.trace)
        return "\n".join(
            call.text if call.arguments is None else "\n".join(strings(call.arguments))
            for call in calls
        )

    def quoting(self, kind: PathKind, step: int, quote: str) -> PathStep:
        """A step of a path that stands in this line of the trace."""
        return PathStep(kind, self.trace.file, self.trace.line, step, quote[:QUOTE_CHARACTERS])


class UsedFile:
    """An access with its line in `accesses.jsonl`.

    Attributes:
        line: Its number.
        access: The access.
    """

    def __init__(self, line: int, access: "ObservedAccess") -> None:
        self.line = line
        self.access = access

    @cached_property
    def lines(self) -> frozenset[str]:
        """The lines that a write put into the file."""
        return frozenset(self.access.lines)

    def holds(self, line: str) -> bool:
        """Return True if a write put a line into the file, as it is or within another one."""
        return line in self.lines or self._text.holds(line)

    @property
    def characters(self) -> int:
        """How long the text is that a write put into the file."""
        return len(self._text.plain)

    @property
    def folder(self) -> str:
        """The folder of the file; empty for the workspace."""
        return self.access.path.rpartition("/")[0]

    @cached_property
    def is_encoded(self) -> bool:
        """Whether a write put text into it, mostly without spaces, that cannot be decoded."""
        unbroken = sum(len(found) for found in _UNBROKEN.findall(self._text.plain))
        return 2 * unbroken > self.characters and not self._text.decoded

    @cached_property
    def _text(self) -> SeenText:
        return SeenText("\n".join(self.access.lines))


class TurnHistory:
    """What is on record of one generation.

    Attributes:
        replies: In order; reply k is at place k - 1.
        problem: Why the trace does not tell them; empty if it does.
        unobserved: Why accesses may be missing; empty if all were observed.
        has_accesses: Whether any accesses were recorded.

    Args:
        trace: The trace, read.
        accesses: What was observed; None if nothing was.
        folder: The generation's folder, as evidence names it.
    """

    def __init__(self, trace: TraceSteps, accesses: "Accesses | None", folder: str) -> None:
        self.replies = () if trace.problem else tuple(map(Reply, trace.steps))
        self.problem = trace.problem
        self.has_accesses = accesses is not None
        self.unobserved = "no accesses were recorded" if accesses is None else accesses.unobserved
        self._file = f"{folder}/{ACCESSES}"
        self._records = tuple(
            UsedFile(number, access)
            for number, access in enumerate(accesses.records if accesses else (), start=1)
        )

    def reply(self, step: int) -> Reply | None:
        """The reply with which a step begins; None before the first."""
        return self.replies[step - 1] if 0 < step <= len(self.replies) else None

    def reads(self, upto: int, since: int = 0) -> Iterator[UsedFile]:
        """The files that were read up to a step, from another one on."""
        return (
            used
            for used in self._records
            if used.access.kind == "read" and since <= used.access.step <= upto
        )

    def looks(self, folder: str) -> Iterator[UsedFile]:
        """What was read or listed in a folder, or of it."""
        for used in self._records:
            if used.access.kind != "written" and f"{used.access.path}/".startswith(f"{folder}/"):
                yield used

    @property
    def is_empty(self) -> bool:
        """True if nothing of it is on record."""
        return not (self.replies or self.has_accesses)

    def names(self, folder: str) -> bool:
        """Return True if a tool call names a folder: no more than a hint of what it did with it."""
        return any(folder in reply.in_calls for reply in self.replies)

    def writes(self, path: str) -> Iterator[UsedFile]:
        """The steps in which a file was written."""
        return (used for used in self._written if used.access.path == path)

    def held_by(self, line: str, upto: int) -> Iterator[UsedFile]:
        """The writes up to a step that put a line into a file."""
        return (used for used in self._written if used.access.step <= upto and used.holds(line))

    def opaque_writes(self, path: str, upto: int) -> Iterator[UsedFile]:
        """The writes of a file whose text nobody knows: archives, large files, encoded ones."""
        return (
            used
            for used in self.writes(path)
            if used.access.step <= upto
            and (not used.access.lines or (used.is_encoded and not self._has_typed(used)))
        )

    def closed_by(self, write: UsedFile) -> int | None:
        """The event before which a program read what it wrote; None for any of the step.

        What a new folder holds when it is first looked into is one event for each file, which is
        numbered before events that were still waiting.
        """
        access = write.access
        is_one = access.count == 1 and write.folder not in ("", SCRATCH.rstrip("/"))
        return None if is_one and self._is_new(write) else access.last

    @property
    def has_scratch(self) -> bool:
        """True if any scratch file was seen: they are watched then."""
        return any(used.access.path.startswith(SCRATCH) for used in self._records)

    def evidence(self, used: UsedFile) -> Evidence:
        """Quote the tool calls of the step of an access; else the access itself."""
        access, reply = used.access, self.reply(used.access.step)
        if reply is None or not reply.in_calls:
            quote = f"{access.kind} {access.path} in step {access.step}"
            return Evidence(self._file, used.line, quote, "host-observed")
        quote = "; ".join(call.text for call in tool_uses(reply.trace))[:QUOTE_CHARACTERS]
        return Evidence(reply.trace.file, reply.trace.line, quote, "host-observed")

    def at(self, used: UsedFile, kind: PathKind) -> PathStep:
        """A step of a path that is an access."""
        return PathStep(kind, self._file, used.line, used.access.step, used.access.path)

    def _is_new(self, write: UsedFile) -> bool:
        """Return True if nothing in a file's folder was used before, but for what came with it."""
        access = write.access
        return all(
            (used.access.step, used.access.kind, used.access.count) == (access.step, "written", 1)
            for used in self._records
            if used.folder == write.folder and used.access.first < access.first
        )

    def _has_typed(self, write: UsedFile) -> bool:
        """Return True if the model typed some of what a write put into a file."""
        replies = self.replies[: write.access.step]
        return any(line in reply.typed.plain for reply in replies for line in write.lines)

    @cached_property
    def _written(self) -> tuple[UsedFile, ...]:
        return tuple(used for used in self._records if used.access.kind == "written")


def strings(value: object) -> Iterator[str]:
    """The texts in a value that came from JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in cast("dict[str, object]", value).values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from strings(inner)


NOTHING_ON_RECORD: Final = TurnHistory(TraceSteps("there is none", (), 0, 0), None, "")
