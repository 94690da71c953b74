"""A recorded run, opened to be replayed: what each of its attempts made and must make again."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, Protocol

import msgspec

from hyperspace.kernel.errors import RunDamaged, RunUsageError
from hyperspace.kernel.files import canonical_json, text_hashes
from hyperspace.kernel.state.closings import closed_in_order, count_closed, every_closing
from hyperspace.kernel.state.digest import digest_of, without_words
from hyperspace.kernel.state.folder import DROPPED, TRACE, RunFolder, was_dropped
from hyperspace.kernel.state.manifest import (
    REPO,
    Closing,
    Cursor,
    Manifest,
    Role,
    Violation,
)
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.replacements import replacements
from hyperspace.kernel.state.steering.records import Steering
from hyperspace.tracing.replaying import Playback, ToolDifference, differing_lines
from hyperspace.tracing.traces import read_trace

Tools = Literal["recorded", "live"]
Codes = Mapping[str, Mapping[str, str]]
"""Path to text of what a generation came to, by role of the candidate; "" is what was kept."""
OF_FILES = ("edit-scope", "policy")  # topics of violations that the files left behind decide


class FilesDiffer(msgspec.Struct, frozen=True):
    """The tools of a generation left other files behind than in the record.

    Attributes:
        agent: Whose.
        generation: Which.
        paths: What differs: files of the code, or refused changes.
    """

    agent: str
    generation: int | str
    paths: tuple[str, ...]


class InTheMaking(Protocol):
    """The code of a generation that is being made, and what was refused of it."""

    code: dict[str, str]
    violations: tuple[Violation, ...]
    role: Role


class RecordedAttempt:
    """The closed attempt at one generation, or at the final evaluation.

    Attributes:
        playback: Its model calls.
        timeouts: Wall-clock limits that struck, by their request.
        needs: What it asked the principal, and was answered while it lasted.
        cursor: What could be seen, where timing decided it.
        files_differ: How the files that tools left were not the recorded ones; None if they were.
        took_results: Whether it took the results of equal code, and was not evaluated.
    """

    def __init__(self, closing: Closing, playback: Playback, codes: Codes, tools: Tools) -> None:
        self.playback = playback
        self.timeouts = {timeout.request: timeout for timeout in closing.timeouts}
        self.cursor = closing.cursor
        self.needs = closing.manifest.needs
        self.took_results = closing.results_of is not None
        self.files_differ: FilesDiffer | None = None
        self._manifest = closing.manifest
        self._codes = codes
        self._tools = tools

    def obey_tools(self, candidate: InTheMaking) -> None:
        """Let a modification end with the recorded files, as far as tools decide them.

        Live tools keep what they made, unless a limit cut them short at a moment that no
        replay can hit again.
        """
        paths = self._differing(candidate)
        if not paths:
            return
        manifest = self._manifest
        self.files_differ = FilesDiffer(manifest.agent, manifest.generation, paths)
        if self._tools == "recorded" or any(t.purpose == "modify" for t in self.timeouts.values()):
            candidate.code = dict(self._codes[candidate.role])
            candidate.violations = self._refused(candidate.role)

    def compare(self, manifest: Manifest) -> None:
        """Hold a closing manifest against the recorded one.

        Raises:
            ReplayStopped: They differ; names the first field and shows how.
        """
        recorded, replayed = without_words(self._manifest), without_words(manifest)
        for name in Manifest.__struct_fields__:
            before, now = getattr(recorded, name), getattr(replayed, name)
            if canonical_json(before) != canonical_json(now):
                diff = differing_lines(before, now)
                raise self.playback.stop(None, f"closed with another `{name}`", diff)

    def _refused(self, role: Role) -> tuple[Violation, ...]:
        return tuple(
            violation
            for violation in self._manifest.violations
            if violation.topic in OF_FILES and violation.evidence.get("candidate", "") == role
        )

    def _differing(self, candidate: InTheMaking) -> tuple[str, ...]:
        before, now = text_hashes(self._codes[candidate.role]), text_hashes(candidate.code)
        code = {path for path in before | now if before.get(path) != now.get(path)}
        recorded, replayed = map(_by_path, (self._refused(candidate.role), candidate.violations))
        both = recorded | replayed
        return tuple(sorted(code | {p for p in both if recorded.get(p) != replayed.get(p)}))


class Recording:
    """A recorded run, as far as it was closed.

    Attributes:
        digest: Its digest.
        closed: Number of attempts that were closed.
    """

    def __init__(self, folder: RunFolder, marks: RunMarks, tools: Tools) -> None:
        self._folder = folder
        self._marks = marks
        self._tools: Tools = tools
        self._agents = marks.config.agents
        self._opened: list[RecordedAttempt] = []
        self.digest = digest_of(each.manifest for each in every_closing(marks, self._agents))
        self.closed = sum(
            count_closed(marks, name) + marks.has_final(name) for name in self._agents
        )

    def holds(self, agent: str, generation: int | str) -> bool:
        """Return whether a generation (or `test`) was closed."""
        return self._marks.is_closed(agent, generation)

    def in_order(self) -> Iterator[tuple[str, int]]:
        """Name agents and generations in the order in which they were closed."""
        for closed in closed_in_order(self._marks):
            yield closed.agent, closed.number

    def cursor(self, agent: str, generation: int) -> Cursor:
        """Return what a closed generation could see, where timing decided it; else `{}`."""
        return self._marks.closing(agent, generation).cursor

    def steering(self, agent: str, generation: int | str) -> tuple[Steering, ...]:
        """Return what took effect of the principal's wishes at the look of what was closed."""
        return self._marks.closing(agent, generation).manifest.steering

    def attempt(self, agent: str, name: str) -> RecordedAttempt:
        """The closed attempt of a work folder's name (`gen_<n>` or `test_eval`)."""
        closing = self._marks.closing(agent, name.removeprefix("gen_").removesuffix("_eval"))
        number = closing.manifest.generation
        trace = read_trace(self._traced(closing) / TRACE)
        playback = Playback(agent, number, trace)
        codes: Codes = self._codes(agent, number) if isinstance(number, int) else {}
        self._opened.append(RecordedAttempt(closing, playback, codes, self._tools))
        return self._opened[-1]

    def code(self, agent: str, generation: int) -> dict[str, str]:
        """The code of a closed generation, path to text."""
        return self._marks.code(agent, generation)

    def runtime(self, agent: str) -> dict[str, bytes]:
        """The frozen runtime that an agent's code ran with, path to content.

        Raises:
            RunDamaged: A file of it is missing or was changed.
        """
        closing = self._marks.closing(agent, 0)
        # In solo runs the runtime is part of the code.
        return {
            path: self._folder.read_closed(closing, f"{REPO}{path}") for path in closing.beside_code
        }

    def tool_differences(self) -> tuple[ToolDifference, ...]:
        """Tool results that were not the recorded ones, so far."""
        return tuple(d for attempt in self._opened for d in attempt.playback.tool_differences)

    def files_differing(self) -> tuple[FilesDiffer, ...]:
        """Generations whose tools left other files than in the record, so far."""
        return tuple(a.files_differ for a in self._opened if a.files_differ is not None)

    def check(self) -> None:
        """Make sure that the record is whole, and that every trace was kept, with its texts.

        Raises:
            RunUsageError: One was not.
            RunDamaged: The audit chain does not verify, or a trace is missing.
        """
        chain = self._marks.space.verify()
        if not chain.ok:
            raise RunDamaged(
                f"{self._folder.space} does not verify: {chain.problem}; it cannot be replayed, so "
                "put the space back from a copy of the run"
            )
        for replacement in replacements(self._marks.space).values():
            redacted = replacement.reason == "redacted"
            if redacted and any(file.path.endswith(f"/{TRACE}") for file in replacement.files):
                raise RunUsageError(
                    f"{self._folder.root} was redacted: the texts of its traces were taken out, so "
                    "it cannot be replayed; ask who made it for an export without --redact"
                )
        for closing in every_closing(self._marks, self._agents):
            self._traced(closing)

    def _codes(self, agent: str, generation: int) -> Codes:
        return {"": self.code(agent, generation), **self._marks.candidates(agent, generation)}

    def _traced(self, closing: Closing) -> Path:
        folder = self._folder.closed(closing)
        if was_dropped(folder):
            raise RunUsageError(
                f"{folder} has no trace: it was not kept (--keep-traces, see {DROPPED} there), "
                "and a run is replayed from all its traces"
            )
        if TRACE in closing.files and not (folder / TRACE).is_file():
            raise RunDamaged(
                f"{folder / TRACE} is missing, and a run is replayed from all its traces; put it "
                "back from a copy of the run"
            )
        return folder


def _by_path(violations: tuple[Violation, ...]) -> dict[str, list[bytes]]:
    by_path: dict[str, list[bytes]] = {}
    for violation in violations:
        by_path.setdefault(violation.path, []).append(canonical_json(violation))
    return by_path
