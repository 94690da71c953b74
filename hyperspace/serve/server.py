"""The model server: listens, and talks with each client until it leaves."""

import errno
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Final, cast

import anyio
import anyio.from_thread
import h11
from anyio.abc import SocketAttribute, SocketListener, SocketStream

from hyperspace.serve.answering import Answering
from hyperspace.serve.behaviour import Behaviour
from hyperspace.serve.faults import Faults
from hyperspace.serve.http import LEFT, HttpConnection
from hyperspace.serve.origin import authorities
from hyperspace.serve.policies import ServedPolicies
from hyperspace.serve.stats import Stats

CONNECTIONS: Final = 8192
_BACKLOG: Final = 4096
_FULL_PAUSE_S: Final = 0.05
_FULL: Final = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)


class ChatServer:
    """Answers the providers' wire protocols with offline policies.

    Attributes:
        policies: Who answers for which model.
        stats: What was asked.
        server_port: The port; 0 until it listens, if any free one was asked for.
    """

    def __init__(
        self,
        policies: ServedPolicies,
        host: str = "127.0.0.1",
        port: int = 0,
        behaviour: Behaviour | None = None,
    ) -> None:
        """Prepare; nothing listens yet.

        Args:
            policies: Who answers for which model.
            host: Address to listen on.
            port: Port to listen on; 0 takes any free one.
            behaviour: Faults, latency, keys; None answers everything at once.
        """
        self.policies = policies
        self.stats = Stats()
        self.server_port = port
        self._host = host
        self._behaviour = behaviour or Behaviour(Faults())

    @property
    def root(self) -> str:
        """Address without a path, the base URL of the anthropic SDK."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self.server_port}"

    @property
    def url(self) -> str:
        """Base URL of the openai SDK."""
        return f"{self.root}/v1"

    @property
    def fireworks_url(self) -> str:
        """Base URL of the fireworks SDK."""
        return f"{self.root}/inference"

    @contextmanager
    def running(self) -> Generator["ChatServer"]:
        """Serve in a thread of its own while the context is open.

        Raises:
            OSError: The port is taken, or the host is not ours.
        """
        with (
            anyio.from_thread.start_blocking_portal() as portal,
            portal.wrap_async_context_manager(self.serving()),
        ):
            yield self

    @asynccontextmanager
    async def serving(self) -> AsyncGenerator["ChatServer"]:
        """Serve in the caller's event loop while the context is open.

        Raises:
            OSError: The port is taken, or the host is not ours.
        """
        answering = Answering(self.policies, self._behaviour, self.stats)
        listener = await anyio.create_tcp_listener(
            local_host=self._host, local_port=self.server_port, backlog=_BACKLOG
        )
        async with listener, anyio.create_task_group() as tasks:
            for listening in cast("list[SocketListener]", listener.listeners):
                self.server_port = listening.extra(SocketAttribute.local_port)  # noqa: S610  no Django
                tasks.start_soon(self._accept, listening, answering)
            try:
                yield self
            finally:
                tasks.cancel_scope.cancel()

    async def _accept(self, listener: SocketListener, answering: Answering) -> None:
        places = anyio.Semaphore(CONNECTIONS)
        async with anyio.create_task_group() as tasks:
            while True:
                await places.acquire()
                stream = await _accepted(listener)
                tasks.start_soon(self._converse, stream, answering, places)

    async def _converse(
        self, stream: SocketStream, answering: Answering, places: anyio.Semaphore
    ) -> None:
        try:
            async with stream:
                address = stream.extra(SocketAttribute.local_address)  # noqa: S610  no Django
                ours = authorities(self._host, self.server_port, str(address[0]))
                await self._answer_all(HttpConnection(stream), answering, ours)
        except LEFT:
            pass  # the client's own business; what it did not get is counted as cut
        finally:
            places.release()

    async def _answer_all(
        self, connection: HttpConnection, answering: Answering, ours: frozenset[str]
    ) -> None:
        try:
            while head := await connection.head():
                with self.stats.flight(head.method == "POST"):
                    await connection.send(await answering.answer(connection, head, ours))
                if not connection.next_request():
                    break
        except h11.RemoteProtocolError as error:
            await answering.complain(connection, error)
        await connection.drain()


async def _accepted(listener: SocketListener) -> SocketStream:
    """Accept a connection; when files have run out, wait until some are free again."""
    while True:
        try:
            return await listener.accept()
        except OSError as error:
            if error.errno in _FULL:
                await anyio.sleep(_FULL_PAUSE_S)
            elif not isinstance(error, ConnectionError):  # that one left before it was accepted
                raise
