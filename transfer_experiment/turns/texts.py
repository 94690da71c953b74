"""Texts that a model saw or wrote, and whether a line of code stands in them.

A line stands in a text as it is, indented, behind line numbers or diff marks, with its quotes
escaped as JSON, Python or a shell wants them, turned round, or in what was encoded in base64 or
hexadecimal. Other codings are not looked into.
"""

import base64
import binascii
import codecs
import html
import json
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property, lru_cache
from typing import Final

TOKEN: Final = re.compile(r"[A-Za-z_]\w*|\d+(?:\.\d+)?")
_BLOB: Final = re.compile(r"[A-Za-z0-9+/=]{16,}(?:\s+[A-Za-z0-9+/=]{4,})*")
_HEX: Final = re.compile(r"[0-9a-f]{16,}(?:\s+[0-9a-f]{2,})*")
_DUMP: Final = re.compile(
    r"^(?:[0-9a-f]{6,8}:?)? +((?:[0-9a-f]{2} ){8} (?:[0-9a-f]{2} ){1,8}|(?:[0-9a-f]{2} ?){1,16})",
    re.MULTILINE,
)
_COMPRESSED: Final = zlib.MAX_WBITS | 32  # gzip or zlib, by its head
_MOST_DECODED: Final = 1_000_000  # bytes; small texts can unpack to large ones
_SHORTEST_DISGUISED: Final = 10  # characters; a shorter line may be found by chance
_END: Final = re.compile(r"[ \t]*\$?(?:$|[\r\n\\]|#)|[\"'`]|[ \t]{2}|\t|[ \t]>>?|;")
_ESCAPES: Final = ("\\n", "\\t", "\\r")


class SeenText:
    """A text with what is encoded in it.

    Args:
        plain: The text.
    """

    def __init__(self, plain: str) -> None:
        self.plain = plain

    @cached_property
    def decoded(self) -> str:
        """What stands in it in base64 or in hexadecimal, if that is text."""
        return "\n".join(_decoded(self.plain))

    @cached_property
    def tokens(self) -> frozenset[str]:
        """Its words and numbers."""
        return frozenset(TOKEN.findall(self.plain))

    def holds(self, line: str) -> bool:
        """Return True if a stripped line of code stands in it."""
        if any(_stands_in(self.plain, form) for form in _forms(line)):
            return True
        if len(line) >= _SHORTEST_DISGUISED and any(d in self.plain for d in _disguises(line)):
            return True
        return bool(self.decoded) and _stands_in(self.decoded, line)


@lru_cache(maxsize=4096)
def _forms(line: str) -> tuple[str, ...]:
    """A line as it is, and with what JSON, Python, shells and web pages escape in it."""
    escaped = json.dumps(line, ensure_ascii=False)[1:-1]
    forms = (
        line,
        escaped,
        json.dumps(line)[1:-1],
        json.dumps(escaped, ensure_ascii=False)[1:-1],
        line.replace("\\", "\\\\").replace("'", "\\'"),
        line.replace("'", "'\\''"),
        line.replace("'", "'\"'\"'"),
        line.replace("\\", "\\\\").replace('"', '\\"').replace("$", "\\$").replace("`", "\\`"),
        line.replace("%", "%%"),
        html.escape(line, quote=False),
        html.escape(line),
    )
    return tuple(dict.fromkeys(forms))


@lru_cache(maxsize=4096)
def _disguises(line: str) -> tuple[str, ...]:
    return line[::-1], codecs.encode(line, "rot13")


def _stands_in(text: str, line: str) -> bool:
    """Return True if a line stands in a text from where a line may begin to where it may end."""
    at = text.find(line)
    while at >= 0:
        before = text[at - 1] if at else ""
        is_begun = not (before.isalnum() or before in ("_", ".")) or not before
        if (is_begun or text[at - 2 : at] in _ESCAPES) and _END.match(text, at + len(line)):
            return True
        at = text.find(line, at + 1)
    return False


def _decoded(text: str) -> Iterator[str]:
    for found in _BLOB.finditer(text):
        packed = re.sub(r"\s+", "", found[0])
        with suppress(binascii.Error, ValueError):
            yield from _as_text(base64.b64decode(packed + "=" * (-len(packed) % 4), validate=True))
    for found in _HEX.finditer(text):
        with suppress(ValueError):
            yield from _as_text(bytes.fromhex(found[0]))
    if dumped := "".join(found[1] for found in _DUMP.finditer(text)):
        with suppress(ValueError):
            yield from _as_text(bytes.fromhex(dumped))


def _as_text(content: bytes) -> Iterator[str]:
    with suppress(zlib.error):
        content = zlib.decompressobj(_COMPRESSED).decompress(content, _MOST_DECODED)
    with suppress(UnicodeDecodeError):
        yield content.decode()
