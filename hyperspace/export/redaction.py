"""Taking out of a run's files what was said, and whose machine it was on."""

import getpass
import re
import socket
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from guards.parsing import decode_json
from hyperspace.export.redact_trace import (
    ACCESS,
    ANSWER,
    CALL,
    hide_lines,
    hide_quotes,
)
from hyperspace.kernel.evaluation.answers import ANSWERS
from hyperspace.kernel.state.config import RunRecord
from hyperspace.kernel.state.folder import ACCESSES, TRACE, TRUTH
from hyperspace.kernel.state.terms import read_terms

_NAMES_OF_NOBODY: Final = ("root", "user", "nobody", "localhost")
_SHORTEST_NAME: Final = 3
_HOMES: Final = re.compile(r"(?:/home|/Users)/[^/\s\"'\\]+|(?<![\w/.])/root(?![\w.-])")
_HOSTS: Final = re.compile(r"(https?://)(?:[^/@\s\"'\\]*@)?[^/:\s\"'\\]+")


class Redaction(msgspec.Struct, frozen=True):
    """Counts of the pieces that were taken out of one file.

    Attributes:
        path: Path within the run folder.
        counts: How many pieces of which kind.
    """

    path: str
    counts: dict[str, int]


class Redactor:
    """Redacts the files of one run.

    Attributes:
        done: What was taken out so far, by file.
        kept: Files that hold a name or folder which cannot be taken out: code and the space are
            what the run's hashes are made of.
    """

    def __init__(self, names: Iterable[tuple[str, str]]) -> None:
        """Prepare.

        Args:
            names: (text, what it is), such as a user's name; replaced by `[what]`.
        """
        self.done: list[Redaction] = []
        self.kept: list[str] = []
        longest_first = sorted(set(names), key=lambda pair: (-len(pair[0]), pair))
        self._rules = [
            (re.compile(rf"(?<![\w-]){re.escape(text)}(?![\w-])"), f"[{what}]", what)
            for text, what in longest_first
        ]
        self._rules.append((_HOMES, "[home]", "home"))
        self._rules.append((_HOSTS, r"\1[host]", "host"))
        self._counts: Counter[str] = Counter()

    def redact(self, path: str, data: bytes) -> bytes:
        """Return a file's content without what must not leave."""
        self._counts = Counter()
        clean = self._redacted(path, data)
        if self._counts:
            self.done.append(Redaction(path, dict(sorted(self._counts.items()))))
        return clean if self._counts else data

    def _redacted(self, path: str, data: bytes) -> bytes:
        name = path.rpartition("/")[2]
        if name == TRACE:
            data = hide_lines(data, CALL, self._count)
        if name == ACCESSES:
            data = hide_lines(data, ACCESS, self._count)
        if name in (ANSWERS, TRUTH):
            data = hide_lines(data, ANSWER, self._count)
        if name.endswith(".jsonl"):
            return b"\n".join(map(self._line, data.split(b"\n")))
        if name.endswith(".json"):
            return self._document(path, data)
        if name.endswith(".csv"):
            return self._text(data.decode("utf-8", "replace")).encode()
        text = data.decode("utf-8", "replace")
        if any(rule.search(text) for rule, _, _ in self._rules if rule is not _HOSTS):
            self.kept.append(path)
        return data

    def _document(self, path: str, data: bytes) -> bytes:
        try:
            value: Any = decode_json(data, object)
            if path == "summary.json":
                value = hide_quotes(value, self._count)
            return msgspec.json.format(msgspec.json.encode(self._value(value)), indent=2) + b"\n"
        # Damaged, or none of ours.
        except (msgspec.DecodeError, RecursionError, AttributeError, TypeError):
            return self._text(data.decode("utf-8", "replace")).encode()

    def _line(self, line: bytes) -> bytes:
        try:
            return msgspec.json.encode(self._value(decode_json(line, object))) if line else line
        except (msgspec.DecodeError, RecursionError):  # torn or damaged
            return self._text(line.decode("utf-8", "replace")).encode()

    def _value(self, value: Any) -> Any:
        """Clean the texts of a JSON value; names of fields are ours."""
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self._value(inner) for inner in cast("list[Any]", value)]
        if isinstance(value, dict):
            fields = cast("dict[str, Any]", value)
            return {name: self._value(inner) for name, inner in fields.items()}
        return value

    def _text(self, text: str) -> str:
        for rule, replacement, what in self._rules:
            text, count = rule.subn(replacement, text)
            self._count(what, count)
        return text

    def _count(self, what: str, count: int) -> None:
        if count:
            self._counts[what] += count


def names_here(run: Path, record: RunRecord) -> list[tuple[str, str]]:
    """This machine's and this person's names, and the folders that the run names."""
    host = socket.gethostname()
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # no entry in the user database: there is no name to hide
        user = ""
    names = [(host, "host"), (host.partition(".")[0], "host"), (user, "user")]
    ours = {*_NAMES_OF_NOBODY, *record.configuration.agents}
    masked = [pair for pair in names if len(pair[0]) >= _SHORTEST_NAME and pair[0] not in ours]
    named = (record.data, record.initial, record.cache, read_terms(run / "limits.json").prices)
    given = [Path(path).parent for path in named if path is not None]
    depth = 2 + len(Path(record.configuration.name).parts)  # <domain>/<name>/seed<n>
    results = run.resolve().parents[depth - 1 : depth]
    folders = {str(folder) for folder in (Path.home(), *results, *given) if folder.name}
    return masked + [(folder, "folder") for folder in folders]
