"""A broker that says one word to whoever comes, at either of its doors."""

import socket
import tempfile
import threading
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Self

GREETED = """
import os, socket
with socket.socket(socket.AF_UNIX) as line:
    line.connect(os.environ['HYPERSPACE_BROKER'])
    return line.recv(9).decode(), []
"""  # body of a task agent's `forward` that answers with the word


class GreetingBroker:
    """Implements `guards.sandboxes.sandbox.BrokerDoors` while its context is open.

    Args:
        word: What it says.
    """

    def __init__(self, word: str = "hello") -> None:
        self._word = word.encode()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        """Be ready to answer."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Close the doors."""
        self._stack.close()

    def folder(self) -> Path:
        """Return a folder with a socket `s`."""
        # Not pytest's: that lies where only we may go.
        folder = self._stack.enter_context(tempfile.TemporaryDirectory())
        door = socket.socket(socket.AF_UNIX)
        door.bind(f"{folder}/s")
        door.listen()
        self.answer_at(door)
        return Path(folder)

    def answer_at(self, door: socket.socket) -> None:
        """Answer at a socket that listens."""
        thread = threading.Thread(target=self._answer, args=(door,))
        thread.start()
        self._stack.callback(thread.join)
        self._stack.callback(door.shutdown, socket.SHUT_RDWR)

    def _answer(self, door: socket.socket) -> None:
        with door, suppress(OSError):  # it was shut
            while True:
                with door.accept()[0] as line:
                    line.sendall(self._word)
