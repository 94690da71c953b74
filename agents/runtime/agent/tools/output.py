"""Bounded text: what a tool says must fit into a conversation."""

from typing import Final

LIMIT_BYTES: Final = 30_000


class OutputBuffer:
    """Keeps the beginning and the end of a stream and counts what lies between."""

    def __init__(self, limit_bytes: int = LIMIT_BYTES) -> None:
        self._half = limit_bytes // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._cut = 0

    def add(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        excess = max(len(self._tail) - self._half, 0)
        self._cut += excess
        del self._tail[:excess]

    def text(self) -> str:
        """The stream as text, with a line that says how much was cut in the middle."""
        if not self._cut:
            return (self._head + self._tail).decode("utf-8", "replace")
        head, tail = (part.decode("utf-8", "replace") for part in (self._head, self._tail))
        return f"{head}\n[... {self._cut} bytes cut ...]\n{tail}"
