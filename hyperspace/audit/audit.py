"""What the guard did in a run, what got past it all the same, and whether the record is whole."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from guards.parsing import decode_json
from guards.scope.regular_files import Unreadable, read_whole
from hyperspace.audit.breaches import breaches, strange_marks
from hyperspace.audit.chain import NotedHead, ReplacedFiles, replaced_files, verify_chain
from hyperspace.audit.ledger import ledger_damage
from hyperspace.audit.summaries import (
    Result,
    in_space,
    wrong_best,
    wrong_record,
    wrong_summaries,
)
from hyperspace.audit.unknown_folders import unknown_folders
from hyperspace.export.packing import Contents, changed_since, own_export
from hyperspace.export.retention import told_otherwise
from hyperspace.kernel.errors import RunDamaged, RunUsageError
from hyperspace.kernel.files import canonical_json
from hyperspace.kernel.state.anchor import anchored_heads
from hyperspace.kernel.state.closings import every_closing, incidents
from hyperspace.kernel.state.config import RunConfig, read_record_of
from hyperspace.kernel.state.folder import EXPORT, TEST_WORK, RunFolder
from hyperspace.kernel.state.manifest import TEST, TOPICS
from hyperspace.kernel.state.marks import RunMarks
from hyperspace.kernel.state.opening import reading
from hyperspace.kernel.state.replacements import changes_by_path
from hyperspace.kernel.views.audit_lines import (
    DAMAGE,
    DOMAIN,
    END,
    OUTAGE,
    audit_line,
    incident_line,
)
from hyperspace.kernel.views.resume_state import archive_differences
from hyperspace.kernel.views.run_logs import RunLogs

MARK_SPACE = "mark-space"
KINDS = (*TOPICS, DAMAGE, DOMAIN, END, OUTAGE, MARK_SPACE)


class Filter(msgspec.Struct, frozen=True):
    """Which records to tell; None takes all. Checks are always made on the whole run.

    Attributes:
        agent: Only this agent's.
        generation: Only this generation's, or `test` for the final evaluation.
        kind: Only this kind: one of `KINDS`.
    """

    agent: str | None = None
    generation: int | Literal["test"] | None = None
    kind: str | None = None

    def takes(self, line: dict[str, Any]) -> bool:
        """Return whether a record is requested."""
        wanted = {"agent": self.agent, "generation": self.generation, "kind": self.kind}
        return all(value in (None, line[name]) for name, value in wanted.items())


class AuditTotal(msgspec.Struct, frozen=True):
    """How many records of one agent have one kind and verdict."""

    agent: str
    kind: str
    verdict: str
    count: int


class Audit(msgspec.Struct, frozen=True):
    """The audit of a run.

    Attributes:
        refused: What the guard refused, put back, rewrote or flagged, in order, then pauses at
            a limit and repairs, which are no agent's; the lines of audit.jsonl.
        denied: What the mark space denied, in the same form.
        totals: Counts of both, by agent, kind and verdict.
        through: What got past the guard, or was done to the files since, one line each.
        replaced: Files that were redacted or not kept, as the chain tells: they are not as they
            were closed, and what stands there now is its author's word.
        entries: Entries in the hash chain.
        head: Head of the chain.
        verified: Whether the chain verifies, and holds the heads that the closing marks and
            summary.json name.
        problem: Where it breaks; empty when it verifies.
        noted: Whose heads from outside the run it holds; empty where none was given.
    """

    refused: tuple[dict[str, Any], ...]
    denied: tuple[dict[str, Any], ...]
    totals: tuple[AuditTotal, ...]
    through: tuple[str, ...]
    replaced: tuple[ReplacedFiles, ...]
    entries: int
    head: str
    verified: bool
    problem: str
    noted: tuple[str, ...] = ()

    @property
    def records(self) -> tuple[dict[str, Any], ...]:
        """What the guard did, and then what the mark space denied."""
        return (*self.refused, *self.denied)

    @property
    def passed(self) -> bool:
        """Return whether nothing got through and the record is whole."""
        return self.verified and not self.through


def read_audit(
    run: Path,
    wanted: Filter | None = None,
    heads: Iterable[str] = (),
    anchor: Path | None = None,
    result: Result = in_space,
) -> Audit:
    """Read a run's record, whether it is finished, stopped or being played.

    Args:
        run: Its folder.
        wanted: Which records to tell; None takes all.
        heads: Heads of its chain that were noted elsewhere.
        anchor: A file of such heads, as `hyperspace.kernel.state.anchor` writes it.
        result: Reads what summary.json has to say; asked if the files are as they were closed.

    Raises:
        RunUsageError: The folder holds no run, or no such agent, generation or kind; or the file
            holds no head of this run.
        RunDamaged: summary.json cannot be read.
        StoreError: The space cannot be read.
    """
    folder, record, wanted = RunFolder(run), read_record_of(run), wanted or Filter()
    config = record.configuration
    _check_filter(run, config, wanted)
    outside = [NotedHead(head, "--head") for head in heads]
    if anchor is not None:
        outside += [NotedHead(each.head, str(anchor)) for each in anchored_heads(anchor, record)]
    if (export := own_export(run)) is not None:
        outside.append(NotedHead(export.audit_head, f"{EXPORT}, which you signed,"))
    promised, noted = promised_head(folder), _noted_lines(folder.audit)
    with reading(folder, config) as marks:
        until = marks.space.head()  # before the closings: a run that is being played goes on
        closings = [*every_closing(marks, config.agents)]
        chain, vouched = verify_chain(marks, promised, closings, outside)
        denied = tuple(filter(wanted.takes, _denied(marks)))
        by_time = sorted(closings, key=lambda closing: closing.closed_utc)
        violations = ((each, item) for each in by_time for item in each.manifest.violations)
        records: list[dict[str, Any]] = [
            *(audit_line(closing, violation) for closing, violation in violations),
            *map(incident_line, incidents(marks)),
        ]
        replaced = replaced_files(marks)
        changes = changes_by_path(each.files for each in replaced)
        through = [*breaches(folder, marks, closings, changes)] if chain.ok else []
        other_record = [*wrong_record(folder, marks, changes)] if chain.ok else []
        if chain.ok and not other_record:  # it says who the authors are
            through += strange_marks(marks, closings, until)
        through += other_record
        through += _not_vouched(replaced, vouched)
        through += filter(None, [told_otherwise(folder, marks.space)])
        through += archive_differences(marks, RunLogs(folder, config.agents))
        through += filter(None, [ledger_damage(folder, marks)])
        if chain.ok:
            through += unknown_folders(folder, marks, closings)
            through += wrong_best(folder, marks)
            expected = in_space if through else result
            through += wrong_summaries(
                folder, marks, closings, expected, is_redacted=bool(replaced)
            )
    through += _differences(noted, records, is_finished=promised is not None)
    if chain.ok and export is not None:
        through += _not_as_exported(folder, export, chain.head, through)
    refused = tuple(filter(wanted.takes, records))
    counts = Counter((line["agent"], line["kind"], line["verdict"]) for line in (*refused, *denied))
    return Audit(
        refused=refused,
        denied=denied,
        totals=tuple(AuditTotal(*key, count) for key, count in sorted(counts.items())),
        through=tuple(through),
        replaced=replaced,
        entries=chain.entries,
        head=chain.head,
        verified=chain.ok,
        problem=chain.problem,
        noted=tuple(dict.fromkeys(source for _, source in outside if chain.ok)),
    )


def promised_head(folder: RunFolder) -> str | None:
    """The head that a finished run's summary names; None while there is no summary.

    Raises:
        RunDamaged: There is a summary, and it names none.
    """
    if not folder.summary.is_file():
        return None
    try:
        return decode_json(read_whole(folder.summary), _Summary).audit_head
    except (Unreadable, msgspec.MsgspecError) as error:
        raise RunDamaged(
            f"{folder.summary} names no head of the audit chain ({error}); "
            "the same command that made the run writes it again"
        ) from error


def _not_vouched(replaced: Iterable[ReplacedFiles], vouched: int | None) -> Iterator[str]:
    if vouched is None:
        return
    for each in replaced:
        if each.entry > vouched:
            yield (
                f"{len(each.files)} files were {each.reason} by entry {each.entry}, and the newest "
                f"head that you gave is of entry {vouched}: give the one that the exporter told"
            )


def _not_as_exported(
    folder: RunFolder, export: Contents, head: str, told: Sequence[str]
) -> Iterator[str]:
    """Compare the files with those that this user exported; those that were told are not again."""
    if head != export.audit_head:
        yield (
            f"the chain goes on after {EXPORT}, which you signed: its other files cannot be "
            f"compared; remove {EXPORT} if it was you who went on with the run"
        )
        return
    for path in changed_since(folder.root, export):
        if not any(line.startswith(_beginnings(path)) for line in told):
            yield f"{path} is not the file that {EXPORT}, which you signed, names"


def _beginnings(path: str) -> tuple[str, ...]:
    """Return how a line about a file of a run begins."""
    top, _, rest = path.partition("/")
    below, _, inside = rest.partition("/")
    closed = f"{top} gen {below.removeprefix('gen_')}"
    if top == TEST_WORK:  # below it are folders of agents
        closed = f"{below} {TEST}"
    return (f"{path} ", f"{path}: ", f"{top} holds ", f"{closed}: {inside} ")


class _Summary(msgspec.Struct):
    audit_head: str


def _check_filter(run: Path, config: RunConfig, wanted: Filter) -> None:
    if wanted.agent not in (None, *config.agents):
        raise RunUsageError(
            f"no agent {wanted.agent!r} in {run}; its agents: {', '.join(config.agents)}"
        )
    last = config.generations
    if wanted.generation not in (None, TEST) and wanted.generation not in range(last + 1):
        raise RunUsageError(
            f"no generation {wanted.generation} in {run}; there are 0 to {last}, and {TEST}"
        )
    if wanted.kind not in (None, *KINDS):
        raise RunUsageError(f"no kind {wanted.kind!r}; there are: {', '.join(KINDS)}")


def _denied(marks: RunMarks) -> Iterator[dict[str, Any]]:
    """Yield the writes and reads that the space denied, from its own log."""
    for entry in marks.space.audit():
        for decision in entry.decisions if entry.kind == "refusal" else ():
            yield {
                "agent": decision.agent,
                "generation": None,
                "kind": MARK_SPACE,
                "what": f"{decision.operation} of {decision.mark_type} in {decision.scope}",
                "path": "",
                "verdict": decision.verdict,
                "reason": decision.reason,
                "evidence": {"entry": entry.number},
                "recorded_utc": "",
            }


class _Dated(msgspec.Struct):
    recorded_utc: str = ""


def _noted_lines(audit: Path) -> list[bytes]:
    """The lines of audit.jsonl that were written whole; none where there is no file."""
    if not audit.is_file():
        return []
    return audit.read_bytes().split(b"\n")[:-1]


def _differences(
    noted: list[bytes], records: Sequence[dict[str, Any]], *, is_finished: bool
) -> Iterator[str]:
    """Find lines that the space does not have, and records that the file does not have.

    Args:
        noted: The lines of the file, read before the records.
        records: What the space has.
        is_finished: Whether the file is complete; else the newest records may still be missing.
    """
    by_line = {canonical_json(record): record for record in records}
    told, written = Counter(map(canonical_json, records)), Counter(noted)
    for line in written - told:
        yield f"audit.jsonl says what the space does not: {line.decode('utf-8', 'replace')[:200]}"
    newest = max(map(_when, noted), default="")
    for line in told - written:
        if is_finished or _when(line) < newest:
            yield "audit.jsonl lacks: {agent} gen {generation} {what}".format(**by_line[line])


def _when(line: bytes) -> str:
    try:
        return decode_json(line, _Dated).recorded_utc
    except msgspec.MsgspecError:  # no line of ours
        return ""
