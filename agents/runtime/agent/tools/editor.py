"""The editor tool: view and change files, byte for byte as asked."""

import os
from typing import Any

from .text import EditError, byte_lines, only_position, show_around, show_folder, show_lines


class EditorTool:
    """Views and edits text files, and can take back each of its edits."""

    name = "editor"
    description = (
        "View and edit files. `view` shows a file with line numbers (optionally the range "
        "view_range) or a folder two levels deep; `create` writes file_text to path, replacing "
        "what was there; `str_replace` replaces old_str, which must occur exactly once, by "
        "new_str; `insert` puts new_str as lines of its own after line insert_line (0: at the "
        "top); `undo_edit` takes back the last edit of path. Text is written exactly as given."
    )
    parameters: dict[str, Any] = {  # noqa: RUF012 (a constant of the tool, never changed)
        "type": "object",
        "properties": {
            "command": {
                "type": "string",
                "enum": ["view", "create", "str_replace", "insert", "undo_edit"],
            },
            "path": {"type": "string", "description": "The file or folder."},
            "file_text": {"type": "string", "description": "For create: the whole content."},
            "old_str": {"type": "string", "description": "For str_replace: what to replace."},
            "new_str": {
                "type": "string",
                "description": "For str_replace: the replacement; for insert: the lines.",
            },
            "insert_line": {
                "type": "integer",
                "description": "For insert: the line after which the new ones go.",
            },
            "view_range": {
                "type": "array",
                "items": {"type": "integer"},
                "description": "For view: first and last line, from 1; -1 means the end.",
            },
        },
        "required": ["command", "path"],
    }

    def __init__(self) -> None:
        self._undo: dict[str, list[bytes | None]] = {}

    def run(self, arguments: dict[str, Any]) -> str:
        """Run one command and tell what it did."""
        commands = {
            "view": self._view,
            "create": self._create,
            "str_replace": self._str_replace,
            "insert": self._insert,
            "undo_edit": self._undo_edit,
        }
        command = commands.get(arguments["command"])
        if command is None:
            return f"Error: no command {arguments['command']!r}; there are: {', '.join(commands)}."
        try:
            return command(arguments["path"], arguments)
        except EditError as error:
            return f"Error: {error}."
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            return f"Error: {arguments['path']} cannot be used: {reason}."

    def close(self) -> None:
        """Nothing to end."""

    def _view(self, path: str, arguments: dict[str, Any]) -> str:
        if os.path.isdir(path):
            return show_folder(path)
        return show_lines(_read(path), arguments.get("view_range"))

    def _create(self, path: str, arguments: dict[str, Any]) -> str:
        content = _given(arguments, "file_text").encode()
        existed = os.path.exists(path)
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        self._write(path, content)
        return f"{'Replaced' if existed else 'Created'} {path} ({len(content)} bytes)."

    def _str_replace(self, path: str, arguments: dict[str, Any]) -> str:
        old = _given(arguments, "old_str").encode()
        new = arguments.get("new_str", "").encode()
        content = _read(path)
        start = only_position(content, old, path)
        edited = content[:start] + new + content[start + len(old) :]
        self._write(path, edited)
        return _edited(path, edited, content[:start].count(b"\n") + 1, new)

    def _insert(self, path: str, arguments: dict[str, Any]) -> str:
        text = _given(arguments, "new_str").encode()
        line: int = _given(arguments, "insert_line")
        lines = byte_lines(_read(path))
        if not 0 <= line <= len(lines):
            raise EditError(f"insert_line {line} is outside of {path}: it has {len(lines)} lines")
        before, after = b"".join(lines[:line]), b"".join(lines[line:])
        edited = _end_line(before) + (_end_line(text) if after else text) + after
        self._write(path, edited)
        return _edited(path, edited, line + 1, text)

    def _undo_edit(self, path: str, _arguments: dict[str, Any]) -> str:
        history = self._undo.get(os.path.abspath(path))
        if not history:
            raise EditError(f"there is no edit of {path} to take back")
        content = history.pop()
        if content is None:
            os.remove(path)
            return f"Took back the creation of {path}."
        _save(path, content)
        return f"Took back the last edit of {path}."

    def _write(self, path: str, content: bytes) -> None:
        previous = _read(path) if os.path.exists(path) else None
        _save(path, content)
        self._undo.setdefault(os.path.abspath(path), []).append(previous)


def _given(arguments: dict[str, Any], key: str) -> Any:
    if key not in arguments:
        raise EditError(f"{arguments['command']} needs {key}")
    return arguments[key]


def _end_line(text: bytes) -> bytes:
    return text if not text or text.endswith(b"\n") else text + b"\n"


def _edited(path: str, content: bytes, line: int, new: bytes) -> str:
    return f"Edited {path}:\n{show_around(content, line, max(len(byte_lines(new)), 1))}"


def _read(path: str) -> bytes:
    if os.path.exists(path) and not os.path.isfile(path):
        raise EditError(f"{path} is not a regular file")
    with open(path, "rb") as file:
        return file.read()


def _save(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
