"""What a registered parser is, and how parsers of files, texts and connections are called."""

import io
import tempfile
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream

from guards.scope.walk import IngestLimits

MOST_BYTES = 10_000_000
T = TypeVar("T")


class Parser(NamedTuple):
    """A parser of text that somebody else wrote.

    Attributes:
        module: Path of the file that it stands in.
        parse: Calls it.
        refusals: What it may raise; nothing else may leave it.
        samples: What it reads, to be mutated.
        most_bytes: The most that it is ever handed.
    """

    module: str
    parse: Callable[[bytes], object]
    refusals: tuple[type[Exception], ...] = ()
    samples: tuple[bytes, ...] = ()
    most_bytes: int = MOST_BYTES


def text_of(data: bytes) -> str:
    """A text, with lone surrogates where bytes are no UTF-8."""
    return data.decode("utf-8", "surrogateescape")


def of_text(parse_text: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: parse_text(text_of(data))


def of_code(module: str, parse_code: Callable[[str], object], sample: bytes) -> Parser:
    """A parser of code, which is UTF-8 and bounded whoever wrote it: the rest is never taken in."""

    def call(data: bytes) -> object:
        return parse_code(data.decode("utf-8", "replace"))

    return Parser(module, call, (), (sample,), IngestLimits().file_bytes)


def of_file(
    name: str, read_file: Callable[[Path], object], beside: Mapping[str, str] | None = None
) -> Callable[[bytes], object]:
    """A parser of a file, called with its path; or, with others beside, with its folder."""

    def call(data: bytes) -> object:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            for other, text in (beside or {}).items():
                Path(folder, other).parent.mkdir(parents=True, exist_ok=True)
                Path(folder, other).write_text(text)
            return read_file(path if beside is None else Path(folder))

    return call


class Bytes(ByteReceiveStream):
    """A connection on which everything has arrived."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    async def receive(self, max_bytes: int = 65536) -> bytes:
        if data := self._data.read(max_bytes):
            return data
        raise anyio.EndOfStream

    async def aclose(self) -> None:
        pass


class Nowhere(ByteSendStream):
    async def send(self, item: bytes) -> None:
        pass

    async def aclose(self) -> None:
        pass


def at_once(work: Coroutine[Any, Any, T]) -> T:
    """The result of what has nothing to wait for."""
    try:
        work.send(None)
    except StopIteration as ended:
        return ended.value
    raise AssertionError("it waits")
