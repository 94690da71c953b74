"""What a stranger does to a run folder before it is sent: files, links, records, marks."""

import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from markspace.keeping.codec import TEXT_BLOB, TREE_BLOB

DEEP = b"[" * 100_000 + b"]" * 100_000
ESCAPE = "\x1b]0;owned\x07\x1b[2J\u202e"

Mark = dict[str, Any]


class Outside(NamedTuple):
    """What lies outside of the run and must stay as it is.

    Attributes:
        home: The person's home folder.
        url: A server that counts who asks it, and with which key.
    """

    home: Path
    url: str

    @property
    def secret(self) -> Path:
        """A file that nobody but the person should touch."""
        return self.home / ".ssh" / "id"


class Craft(NamedTuple):
    """A run folder to be changed.

    Attributes:
        run: The folder.
        outside: What may be aimed at.
    """

    run: Path
    outside: Outside

    def record(self, **fields: Any) -> None:
        """Change fields of the run's configuration; those that it lacks go beside it."""
        path = self.run / "run_config.json"
        record = json.loads(path.read_text())
        for name, value in fields.items():
            place = record["configuration"] if name in record["configuration"] else record
            place[name] = value
        path.write_text(json.dumps(record))

    def write(self, path: str, data: bytes | str) -> None:
        """Write a file of the run."""
        target = self.run / path
        target.write_bytes(data if isinstance(data, bytes) else data.encode())

    def replace(self, path: str, make: Callable[[Path], object]) -> None:
        """Put something else in the place of a file or a folder."""
        target = self.run / path
        if target.is_dir():
            shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)
        make(target)

    def link(self, path: str, target: Path) -> None:
        """Put a link in the place of a file or a folder."""
        self.replace(path, lambda at: at.symlink_to(target))

    def pipe(self, path: str) -> None:
        """Put a pipe in the place of a file."""
        self.replace(path, os.mkfifo)

    def sql(self, *statements: str) -> None:
        """Change the space's tables behind the back of its chain."""
        with closing(sqlite3.connect(self.run / "space.db")) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()

    def marks(self, change: Callable[[Mark], Mapping[str, Any] | None]) -> None:
        """Write marks anew, and the whole chain with them: a stranger owns all of the file.

        Args:
            change: Returns the fields of a mark that are others now; None leaves it.
        """
        with closing(sqlite3.connect(self.run / "space.db")) as connection:
            bodies: dict[int, bytes] = {}
            blobs: dict[bytes, bytes] = dict(connection.execute("SELECT digest, data FROM blobs"))
            for sequence, body in connection.execute("SELECT sequence, body FROM marks"):
                mark = _inline(msgspec.msgpack.decode(body), blobs)
                if (fields := change(mark)) is not None:
                    bodies[sequence] = msgspec.msgpack.encode({**mark, **fields})
            for sequence, body in bodies.items():
                connection.execute("UPDATE marks SET body = ? WHERE sequence = ?", (body, sequence))
            _chain_again(connection, bodies)
            connection.commit()

    def closings(self, change: Callable[[Any], object]) -> None:
        """Change each closing in place, the chain with it."""

        def changed(mark: Mark) -> Mapping[str, Any] | None:
            if not mark["scope"].startswith("generations/"):
                return None
            change(mark["result"])
            return {"result": mark["result"]}

        self.marks(changed)

    def code(self, files: Mapping[str, str]) -> None:
        """Put files into the code of every generation, the chain with it."""

        def changed(mark: Mark) -> Mapping[str, Any] | None:
            if not mark["scope"].startswith("code/"):
                return None
            return {"content": {**mark["content"], "files": {**mark["content"]["files"], **files}}}

        self.marks(changed)

    def unfinished(self) -> None:
        """Let there be something to go on with: the summary was never written."""
        (self.run / "summary.json").unlink()


def _inline(value: Any, blobs: Mapping[bytes, bytes]) -> Any:
    """Return a decoded value with what lies beside its mark put into it."""
    if isinstance(value, msgspec.msgpack.Ext):
        blob = blobs[bytes(value.data)]
        if value.code == TREE_BLOB:
            return _inline(msgspec.msgpack.decode(blob), blobs)
        return blob.decode() if value.code == TEXT_BLOB else blob
    if isinstance(value, dict):
        return {name: _inline(inner, blobs) for name, inner in cast("Mark", value).items()}
    if isinstance(value, list):
        return [_inline(inner, blobs) for inner in cast("list[Any]", value)]
    return value


def _chain_again(connection: sqlite3.Connection, bodies: Mapping[int, bytes]) -> None:
    head = bytes(32)
    rows = connection.execute("SELECT number, body FROM audit ORDER BY number").fetchall()
    for number, body in rows:
        entry = msgspec.msgpack.decode(body)
        first, hashes = entry[2], entry[4]
        entry[4] = [
            hashlib.sha256(bodies[first + at]).digest() if first + at in bodies else digest
            for at, digest in enumerate(hashes)
        ]
        again = msgspec.msgpack.encode(entry)
        head = hashlib.sha256(head + again).digest()
        connection.execute(
            "UPDATE audit SET body = ?, digest = ? WHERE number = ?", (again, head, number)
        )


def snapshot(folder: Path) -> dict[str, tuple[str, int]]:
    """Return the content or target of everything below a folder, and when it was changed."""
    return {
        str(path.relative_to(folder)): (_content(path), path.lstat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
    }


def _content(path: Path) -> str:
    if path.is_symlink():
        return f"-> {path.readlink()}"
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
