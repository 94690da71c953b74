"""The files of lines of one run: archive.jsonl and stamps.jsonl of each agent, and audit.jsonl."""

from collections.abc import Iterable, Mapping

import msgspec

from hyperspace.kernel.state.archive import Archive, ArchiveEntry
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import TEST, Closing, Incident, PrefixHash
from hyperspace.kernel.views.audit_lines import audit_line, incident_line
from hyperspace.kernel.views.log_file import LogFile, lines_of
from hyperspace.kernel.views.stamps import Stamped, read_stamps, stamp_line

ARCHIVE, STAMPS, AUDIT = "archive", "stamps", "audit"


class RunLogs:
    """Adds to the views what was closed.

    Attributes:
        audit: What was refused, flagged and repaired, and where the run paused.
        archives: The generations of each agent, by its name.
        stamps: The stamps of their files.
    """

    def __init__(self, folder: RunFolder, agents: Iterable[str]) -> None:
        names = tuple(agents)
        self.audit = LogFile(folder.audit)
        self.archives = {name: LogFile(folder.archive(name)) for name in names}
        self.stamps = {name: LogFile(folder.stamps(name), is_cache=True) for name in names}
        self._stamped: dict[str, Stamped] = {}

    def prefix_hashes(self, agent: str) -> dict[str, PrefixHash]:
        """Return the prefix hashes of an agent's files and of the audit, for its next closing."""
        views = {ARCHIVE: self.archives[agent], STAMPS: self.stamps[agent], AUDIT: self.audit}
        return {role: log.prefix_hash() for role, log in views.items()}

    def add(self, entry: ArchiveEntry, closing: Closing) -> None:
        """Add the lines of a generation."""
        agent, stamped = closing.manifest.agent, stamped_of(closing)
        self.archives[agent].append(lines_of([entry]))
        self.stamps[agent].append(lines_of([stamp_line(stamped, self._stamped.get(agent))]))
        self.audit.append(audit_lines(closing))
        self._stamped[agent] = stamped

    def add_final(self, closing: Closing) -> None:
        """Add the lines of a final evaluation."""
        self.audit.append(audit_lines(closing))

    def add_incident(self, incident: Incident) -> None:
        """Add the line of what happened to the whole run."""
        self.audit.append(lines_of([incident_line(incident)]))

    def settle(self, expected: "ExpectedLogs") -> None:
        """Go on from what the views have to hold."""
        for agent, stamped in expected.stamped.items():
            self.archives[agent].settle(expected.archive_text(agent))
            self.stamps[agent].settle(expected.stamps_text(agent))
            self._stamped |= {agent: stamped[-1]} if stamped else {}
        self.audit.settle(expected.audit_text())


class ExpectedLogs:
    """The content that a run's log files must have, put together record by record.

    Attributes:
        archives: The generations of each agent.
        stamped: Their files' stamps; `restamp` changes them.
    """

    def __init__(self, agents: Iterable[str]) -> None:
        self.archives = {name: Archive(name) for name in agents}
        self.stamped: Mapping[str, list[Stamped]] = {name: [] for name in self.archives}
        self._audit_lines: list[bytes] = []
        self._archive_lines: dict[str, list[bytes]] = {name: [] for name in self.archives}
        self._stamp_lines: dict[str, list[bytes]] = {name: [] for name in self.archives}

    def begin_audit(self, audit: bytes) -> None:
        """Start from what audit.jsonl holds."""
        self._audit_lines = [audit]

    def begin(self, agent: str, archive: bytes, stamps: bytes) -> None:
        """Start from what an agent's views hold.

        Raises:
            ValidationError: They are of another version (msgspec's error).
        """
        for entry in msgspec.json.Decoder(ArchiveEntry).decode_lines(archive):
            self.archives[agent].take(entry)
        self.stamped[agent].extend(read_stamps(stamps))
        self._archive_lines[agent].append(archive)
        self._stamp_lines[agent].append(stamps)

    def take(self, record: Closing | Incident) -> None:
        """Add all of what was put on record next."""
        self.note(record)
        if isinstance(record, Closing) and record.manifest.generation != TEST:
            self.add(record)

    def note(self, record: Closing | Incident) -> None:
        """Add what the audit tells of it."""
        is_closing = isinstance(record, Closing)
        lines = audit_lines(record) if is_closing else lines_of([incident_line(record)])
        self._audit_lines.append(lines)

    def add(self, closing: Closing) -> None:
        """Add a generation."""
        agent, stamped = closing.manifest.agent, stamped_of(closing)
        before = self.stamped[agent][-1] if self.stamped[agent] else None
        self._archive_lines[agent].append(lines_of([self.archives[agent].add(closing.manifest)]))
        self._stamp_lines[agent].append(lines_of([stamp_line(stamped, before)]))
        self.stamped[agent].append(stamped)

    def restamp(self, agent: str, stamped: Iterable[Stamped]) -> None:
        """Replace the stamps of an agent's generations."""
        self.stamped[agent][:] = stamped
        self._stamp_lines[agent] = [stamps_text(self.stamped[agent])]

    def audit_text(self) -> bytes:
        """The content of audit.jsonl."""
        return b"".join(self._audit_lines)

    def archive_text(self, agent: str) -> bytes:
        """The content of an agent's archive.jsonl."""
        return b"".join(self._archive_lines[agent])

    def stamps_text(self, agent: str) -> bytes:
        """The content of an agent's stamps.jsonl."""
        return b"".join(self._stamp_lines[agent])


def audit_lines(closing: Closing) -> bytes:
    """Make the audit lines of what was closed: what was refused, and what policies found."""
    return lines_of(audit_line(closing, violation) for violation in closing.manifest.violations)


def stamped_of(closing: Closing) -> Stamped:
    """The stamp of a generation's files, as it was when they were closed."""
    return Stamped(int(closing.manifest.generation), closing.stamp, tuple(closing.files))


def stamps_text(stamped: Iterable[Stamped]) -> bytes:
    """The content of stamps.jsonl."""
    lines: list[bytes] = []
    before: Stamped | None = None
    for each in stamped:
        lines.append(lines_of([stamp_line(each, before)]))
        before = each
    return b"".join(lines)
