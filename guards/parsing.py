"""The wall before text that models, peers, workers or strangers wrote.

Each parser has one error for whatever is wrong: no such text, bytes that are no UTF-8, numbers of
thousands of digits, nesting beyond sense, more of it than anybody would write. `tests/house` knows
who reads such text without the wall, and why.
"""

import ast
import csv
import io
import re
import tomllib
from collections.abc import Iterator
from typing import Any, BinaryIO, Final, TypeVar

import msgspec

MOST_TOML_BYTES: Final = 1_000_000
LONGEST_CSV_LINE: Final = 1 << 24  # characters
MOST_CSV: Final = 1 << 30  # characters
MOST_SOURCE: Final = 4_000_000  # characters
UNDECODABLE: Final = (msgspec.MsgspecError, UnicodeError, RecursionError)
"""What a decoder of msgspec raises, for those that are kept and called by themselves."""

_TOO_DEEP: Final = "it is nested too deeply"
# A key of so many parts: `tomllib` takes the third power of their number.
_LONG_KEY: Final = re.compile(
    r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){100}"""
)
T = TypeVar("T")


def decode_json(data: bytes | str | msgspec.Raw, kind: type[T]) -> T:
    """Decode JSON.

    Raises:
        DecodeError: It is none, none of this kind, no text, or nested too deeply (msgspec's error).
    """
    try:
        return msgspec.json.decode(data, type=kind)
    except (UnicodeError, RecursionError) as error:
        raise _undecodable(error) from error


def decode_msgpack(data: bytes, kind: type[T]) -> T:
    """Decode MessagePack.

    Raises:
        DecodeError: It is none, none of this kind, no text, or nested too deeply (msgspec's error).
    """
    try:
        return msgspec.msgpack.decode(data, type=kind)
    except (UnicodeError, RecursionError) as error:
        raise _undecodable(error) from error


def _undecodable(error: Exception) -> msgspec.DecodeError:
    return msgspec.DecodeError(_TOO_DEEP if isinstance(error, RecursionError) else str(error))


def parse_toml(content: bytes) -> dict[str, Any]:
    """Parse TOML; a byte order mark before it does not matter.

    Raises:
        TOMLDecodeError: It is none, too long, or too deep; the message is the end of a sentence.
    """
    if len(content) > MOST_TOML_BYTES:
        raise tomllib.TOMLDecodeError(f"it has more than {MOST_TOML_BYTES:,} bytes")
    try:
        text = content.decode("utf-8-sig")
        if _LONG_KEY.search(text):
            raise tomllib.TOMLDecodeError("a key of it has 100 parts or more")
        return tomllib.loads(text)
    except RecursionError as error:
        raise tomllib.TOMLDecodeError(_TOO_DEEP) from error
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:  # no UTF-8, too many digits, or a date that there is not
        raise tomllib.TOMLDecodeError(str(error)) from error


def csv_lines(file: BinaryIO) -> Iterator[str]:
    """Return the lines of a CSV file in UTF-8, with or without a byte order mark.

    Raises:
        csv.Error: A line has no end within sight, or the file is too large.
        UnicodeDecodeError: It is no UTF-8.
    """
    with io.TextIOWrapper(file, "utf-8-sig", newline="") as text:
        room = MOST_CSV
        while line := text.readline(LONGEST_CSV_LINE):
            room -= len(line)
            if len(line) == LONGEST_CSV_LINE:
                raise csv.Error(f"a line of it has {LONGEST_CSV_LINE:,} characters or more")
            if room < 0:
                raise csv.Error(f"it has more than {MOST_CSV:,} characters")
            yield line


def parse_python(source: str) -> ast.Module:
    """Parse a program, which is not executed.

    Raises:
        SyntaxError: It is none, too long, or too deep.
    """
    _check_length(source)
    try:
        return ast.parse(source)
    # Deep nesting fails in many ways.
    except (ValueError, RecursionError, MemoryError) as error:
        raise _no_program(error) from error


def check_python(source: str, name: str) -> None:
    """Check that a program can be compiled; it is not executed.

    Raises:
        SyntaxError: It cannot.
    """
    _check_length(source)
    try:
        compile(source, name, "exec", dont_inherit=True)
    except (ValueError, RecursionError, MemoryError) as error:
        raise _no_program(error) from error


def _check_length(source: str) -> None:
    if len(source) > MOST_SOURCE:
        raise SyntaxError(f"it has more than {MOST_SOURCE:,} characters")


def _no_program(error: Exception) -> SyntaxError:
    return SyntaxError(str(error) if isinstance(error, ValueError) else _TOO_DEEP)
