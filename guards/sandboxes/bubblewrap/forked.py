"""The first process of a sandbox that was forked from a template, with its standard streams."""

import os
import socket
import struct
from itertools import chain

import anyio

from guards.sandboxes.first_process import KILLED, FirstProcess
from guards.sandboxes.pipes import PipeReader, PipeWriter

FAILED, STARTED, ENDED = b"E", b"P", b"S"  # what a template says: see `inside/template`
LONGEST_MESSAGE = 8_192
IDENTITY = struct.Struct("3i")  # process, user, group, as this machine numbers them


class Streams:
    """Three pipes: our ends, and those of the process to be."""

    def __init__(self) -> None:
        pipes: list[tuple[int, int]] = []
        try:
            for _ in range(3):
                pipes.append(os.pipe())
        except OSError:  # no more descriptors are to be had
            for descriptor in chain.from_iterable(pipes):
                os.close(descriptor)
            raise
        (read_in, write_in), (read_out, write_out), (read_log, write_log) = pipes
        self.theirs = [read_in, write_out, write_log]
        self.stdin = PipeWriter(write_in)
        self.stdout = PipeReader(read_out)
        self.stderr = PipeReader(read_log)

    def hand_over(self) -> None:
        """Close the ends that the process has by now."""
        while self.theirs:
            os.close(self.theirs.pop())

    def close(self) -> None:
        """Close every end that is open."""
        self.hand_over()
        for stream in (self.stdin, self.stdout, self.stderr):
            stream.close()


class ForkedProcess(FirstProcess):
    """The first process of a forked sandbox; its template tells how it ended.

    Args:
        link: Socket to the template, not blocking; closed by `aclose`.
        streams: Its standard streams; closed by `aclose`.
        pid: The process, as this machine numbers it.
        door: A socket at which code inside calls its broker; closed by `aclose` unless it was
            taken. None for no broker.
    """

    def __init__(
        self, link: socket.socket, streams: Streams, pid: int, door: socket.socket | None
    ) -> None:
        super().__init__(pid, streams.stdin, streams.stdout, streams.stderr)
        self._door = door
        self._link = link
        self._streams = streams
        self._waiting = anyio.Lock(fast_acquire=True)

    async def wait(self) -> int:
        """Wait until the template has seen it end."""
        async with self._waiting:
            if self._returncode is None:
                message = (await hear(self._link))[0]
                self._returncode = message[1] if message[:1] == ENDED else KILLED
        return self._returncode

    def take_door(self) -> socket.socket | None:
        """Return the socket at which its broker is called; whoever takes it closes it."""
        door, self._door = self._door, None
        return door

    async def aclose(self) -> None:
        """Close the streams and the sockets."""
        self.release()

    def release(self) -> None:
        """Close what we hold; a process that was not booted yet ends by this."""
        self._streams.close()
        self._link.close()
        if (door := self.take_door()) is not None:
            door.close()


async def hear(link: socket.socket) -> tuple[bytes, int]:
    """Wait for one message; see `read_message`."""
    while True:
        try:
            return read_message(link)
        except BlockingIOError:
            await anyio.wait_readable(link)


def read_message(link: socket.socket) -> tuple[bytes, int]:
    """One message of a template or of the process that it forked, and who sent it (0: nobody)."""
    try:
        message, extra, _, _ = link.recvmsg(LONGEST_MESSAGE, socket.CMSG_SPACE(IDENTITY.size))
    except ConnectionResetError:  # it ended without a word
        return b"", 0
    for level, kind, data in extra:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
            return message, int(IDENTITY.unpack_from(data)[0])
    return message, 0
