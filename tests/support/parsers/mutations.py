"""What is fed to parsers: samples with pieces changed, and what nobody would write."""

import random
import resource
import time
from collections.abc import Iterator

from tests.support.parsers.parser import Parser

CPU_S = 3.0
BYTES_PER_S = 100_000  # beside that, for what is long
LONGEST = 2_000_000  # bytes of a piece that is repeated
MEMORY_KB = 3 * 1024**2
PIECES = (b"9" * 5_000, b"[" * 200, b'{"a":' * 200, b"\0", b"\xff", b"\xed\xa0\x80", b"\r", b"\n",
          b"-1", b"1e400", b"NaN", b"null", b"true", b"\xf0\x9f\x98\x80", b"../", b"\\ud800", b"\"",
          b"@@")  # fmt: skip


def nasty(longest: int = LONGEST) -> Iterator[bytes]:
    """What nobody would write, up to some length."""
    yield b""
    yield b"9" * 5_000
    yield b"1e" + b"9" * 400
    yield b"-" * 100_000 + b"1"
    yield b"\0" * 1_000
    yield b"\xef\xbb\xbf{}"
    yield b'{"a": 1, "a": 2}'
    yield b"\xff\xfe\r\n" * 1_000
    yield "\u202e\u2028\x85\ufeff".encode() * 1_000
    yield b'["\\ud800", NaN, Infinity, -Infinity, 1E999]'
    for depth in (40, 330, 490, 900, 990, 100_000):
        for opening, inner, closing in (
            (b"[", b"1", b"]"),
            (b'{"a":', b"1", b"}"),
            (b"(", b"1", b")"),
        ):
            yield opening * depth + inner + closing * depth
        yield b"x = " + b"[" * depth + b"]" * depth
        yield b"x = 1" + b"+1" * depth
        yield b"x" + b".a" * depth + b" = 1"
    for piece in (
        b"a",
        b"a,",
        b"a ",
        b'"',
        b"-a\n+b\n",
        b"x=",
        b"'",
        b"@",
        b"\n",
        b"<",
        b"```",
        b"/",
    ):
        yield piece * (longest // len(piece))


def refused_or_read(parser: Parser, data: bytes) -> None:
    """Parse it; nothing but a refusal in words may come of it, within the bounds."""
    start, memory = time.thread_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        parser.parse(data)
    except parser.refusals as refusal:
        assert str(refusal)
    assert time.thread_time() - start < CPU_S + len(data) / BYTES_PER_S
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < MEMORY_KB


def mutated(sample: bytes, source: random.Random) -> bytes:
    """A sample with a few pieces cut, doubled or changed."""
    data = bytearray(sample)
    for _ in range(source.randint(1, 4)):
        at, size = source.randrange(len(data) + 1), source.choice((1, 1, 2, 8, 32))
        match source.randrange(5):
            case 0:
                del data[at : at + size]
            case 1:
                data[at:at] = data[at : at + size] * source.choice((1, 2, 1000))
            case 2:
                data[at : at + size] = source.randbytes(size)
            case 3:
                data[at:at] = source.choice(PIECES)
            case _:
                del data[at:]
    return bytes(data)
