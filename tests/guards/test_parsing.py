"""One error for whatever is wrong with text that somebody else wrote."""

import time
import tomllib
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from guards.parsing import check_python, decode_json, decode_msgpack, parse_python, parse_toml

DEEP = 100_000


def checked(source: str) -> None:
    check_python(source, "x.py")


@pytest.mark.parametrize(
    "text",
    [
        "[" * DEEP,
        '{"a":' * DEEP,
        '"\ud800"',
        b'"\xff"',
        b"\x00",
        "",
        "1" * 5_000,
        "1e999999",
        "NaN",
    ],
    ids=lambda text: repr(text)[:16],
)
def test_json_that_is_none_has_one_error(text: str | bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_json(text, object)


@pytest.mark.parametrize(
    "data", [b"\x91" * DEEP, b"\xa1\xff", b"\xdd\xff\xff\xff\xff", b"\xc1", b""]
)
def test_messagepack_that_is_none_has_one_error(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_msgpack(data, object)


@pytest.mark.parametrize(
    "content",
    [
        b"a=" + b"[" * DEEP,
        b"a=" + b"1" * 5_000,
        b"a=0x" + b"f" * 900_000 + b"g",
        b"=".join([b".".join([b"a"] * 20_000), b"1"]),
        b"[" + b" . ".join([b'"a b"', b"'c'"] * 5_000) + b"]",
        b"a={" * DEEP,
        b'a="\xff"',
        b"a=1\n" * 400_000,
        b"a=2020-02-31",
        b"\0",
    ],
    ids=lambda content: repr(content[:12]),
)
def test_toml_that_is_none_has_one_error_and_takes_no_time(content: bytes) -> None:
    start = time.process_time()
    with pytest.raises(tomllib.TOMLDecodeError):
        parse_toml(content)
    assert time.process_time() - start < 2.0


def test_a_byte_order_mark_before_toml_does_not_matter() -> None:
    assert parse_toml(b"\xef\xbb\xbfa.b = 'a.b.c'\r\n") == {"a": {"b": "a.b.c"}}
    assert len(parse_toml(("prompt = '" + "Well... " * 200 + "'").encode())["prompt"]) == 1600


@pytest.mark.parametrize("parse", [parse_python, checked])
@pytest.mark.parametrize(
    "source",
    ["(" * DEEP, "-" * DEEP + "1", "x" + ".a" * DEEP, "1" + "+1" * DEEP, "a=" + "1" * 5_000,
     "\0", "\ud800", "if", "#" * 4_000_001],
    ids=lambda source: repr(source)[:12],
)  # fmt: skip
def test_a_program_that_is_none_has_one_error(parse: Callable[[str], Any], source: str) -> None:
    with pytest.raises(SyntaxError):
        parse(source)
