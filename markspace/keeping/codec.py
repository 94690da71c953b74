"""Marks to bytes and back. Large values become blobs under their SHA-256.

A value inside a payload is None, a bool, an int of 64 bits, a finite float, a string, bytes, a list
or tuple (read back as a list), or a dict with string or integer keys. Nothing else is stored, so
what is read is a fresh copy that nobody else holds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from math import isfinite
from operator import attrgetter
from typing import Any, cast

import msgspec

from markspace.core.enums import MarkType
from markspace.core.marks import (
    Action,
    AnyMark,
    Intent,
    Mark,
    Need,
    Observation,
    Warning,
)
from markspace.errors import PayloadError, StoreCorrupt, ValidationError

BLOB_BYTES = 4096
MAX_PAYLOAD_BYTES = 32 * 1024**2
MAX_TEXT_CHARACTERS = 1024**2
MAX_SCOPE_CHARACTERS = 400
MAX_KEY_CHARACTERS = 200
MAX_DEPTH = 100
TEXT_BLOB, BYTES_BLOB, TREE_BLOB = 1, 2, 3
INT_MIN, INT_MAX = -(2**63), 2**64 - 1

Blobs = dict[bytes, bytes]


@dataclass
class Form:
    """The fields of a kind of mark.

    Attributes:
        kind: The kind, as a plain string.
        texts: Fields that are strings.
        texts_of: Returns what these hold.
        payload: The field that holds any value, if there is one.
        word: The field that a mark is indexed by beside its kind, if there is one.
        prefix: What sets its index keys apart from those of other kinds.
    """

    kind: str
    texts: tuple[str, ...]
    payload: str | None = None
    word: str | None = None
    prefix: str = ""

    def __post_init__(self) -> None:
        self.texts_of = attrgetter(*self.texts)


TOPIC, RESOURCE = ("topic", "t:"), ("resource", "r:")
FORMS: dict[MarkType, Form] = {
    MarkType.INTENT: Form("intent", ("scope", "resource", "action"), None, *RESOURCE),
    MarkType.ACTION: Form("action", ("scope", "resource", "action"), "result", *RESOURCE),
    MarkType.OBSERVATION: Form("observation", ("scope", "topic"), "content", *TOPIC),
    MarkType.WARNING: Form("warning", ("scope", "topic", "reason"), None, *TOPIC),
    MarkType.NEED: Form("need", ("scope", "question"), "context"),
}
ENCODER = msgspec.msgpack.Encoder(uuid_format="bytes")


def encode(mark: Mark) -> bytes:
    """Return a mark's canonical bytes; what `storable` replaces must have been replaced."""
    return ENCODER.encode(mark)


class Decoder:
    """Turns bytes into marks, fetching blobs as it goes.

    Args:
        fetch: Returns a blob by its SHA-256.
    """

    def __init__(self, fetch: Callable[[bytes], bytes]) -> None:
        self._fetch = fetch
        self._trees = msgspec.msgpack.Decoder(ext_hook=self._blob)
        self._marks = msgspec.msgpack.Decoder(
            Intent | Action | Observation | Warning | Need, ext_hook=self._blob
        )

    def decode(self, body: bytes) -> AnyMark:
        """Return the mark; StoreCorrupt if the bytes are not one."""
        try:
            return self._marks.decode(body)
        except (ValueError, RecursionError) as error:
            raise StoreCorrupt(f"a stored mark cannot be read: {error}") from error

    def _blob(self, code: int, data: memoryview) -> Any:
        blob = self._fetch(bytes(data))
        if code == TREE_BLOB:
            return self._trees.decode(blob)
        return blob.decode() if code == TEXT_BLOB else blob


def storable(mark: AnyMark, form: Form) -> tuple[dict[str, Any], Blobs]:
    """Return the fields to replace so that a mark encodes, and the blobs they refer to.

    Raises:
        PayloadError: A field holds what cannot be stored.
    """
    for text in form.texts_of(mark):
        if type(text) is not str or len(text) > MAX_SCOPE_CHARACTERS or not text.isprintable():
            check_texts(mark, form)
    field = form.payload
    payload = None if field is None else getattr(mark, field)
    if field is None or payload is None:
        return {}, {}
    if type(payload) is str and len(payload) <= BLOB_BYTES and payload.isascii():
        return {}, {}
    blobs: Blobs = {}
    if type(payload) is str:
        packed = clean_text(payload, field, blobs)
    else:
        packed = pack(clean(payload, field, blobs), blobs)
    check_size(field, packed, blobs)
    return {field: packed}, blobs


def pack(payload: Any, blobs: Blobs) -> Any:
    """Return a cleaned payload, or a reference if it is large as a whole."""
    if not isinstance(payload, dict | list):
        return payload
    data = ENCODER.encode(payload)
    if len(data) > BLOB_BYTES:
        return keep(TREE_BLOB, data, blobs)
    return msgspec.Raw(data)


def keep(code: int, data: bytes, blobs: Blobs) -> msgspec.msgpack.Ext:
    """Put data among the blobs and return the reference to it."""
    digest = sha256(data).digest()
    blobs[digest] = data
    return msgspec.msgpack.Ext(code, digest)


def clean(value: Any, path: str, blobs: Blobs, depth: int = 0) -> Any:
    """Return a plain copy of a payload value, large texts and bytes replaced by references.

    Raises:
        PayloadError: A value at some path cannot be stored.
    """
    if isinstance(value, str):
        return clean_text(str(value), path, blobs)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return clean_int(int(value), path)
    if isinstance(value, float):
        if isfinite(number := float(value)):
            return number
        raise PayloadError(f"{path} is {number}, which is not a JSON value; use None or a string")
    if isinstance(value, bytes | bytearray | memoryview):
        data = bytes(cast("bytes", value))
        return keep(BYTES_BLOB, data, blobs) if len(data) > BLOB_BYTES else data
    return clean_container(value, path, blobs, depth)


def clean_container(value: Any, path: str, blobs: Blobs, depth: int) -> Any:
    """Return a plain copy of a dict, list or tuple."""
    if depth > MAX_DEPTH:
        raise PayloadError(f"{path[:80]}... is nested deeper than {MAX_DEPTH}; flatten it")
    if isinstance(value, dict):
        items = cast("dict[Any, Any]", value).items()
        return {
            clean_key(key, path): clean(item, f"{path}.{key}", blobs, depth + 1)
            for key, item in items
        }
    if isinstance(value, list | tuple):
        parts = enumerate(cast("list[Any]", value))
        return [clean(item, f"{path}[{n}]", blobs, depth + 1) for n, item in parts]
    raise PayloadError(
        f"{path} holds a {type(value).__name__}, which cannot be stored; "
        "use None, bool, int, float, str, bytes, list or dict"
    )


def clean_key(key: Any, path: str) -> str | int:
    """Return a dict key that can be stored."""
    if isinstance(key, str):
        return clean_text(str(key), f"{path} (a key)", {}, inline=True)
    if isinstance(key, int) and not isinstance(key, bool):
        return clean_int(int(key), f"{path} (a key)")
    raise PayloadError(f"{path} has the key {key!r}; use strings or integers as keys")


def clean_text(text: str, path: str, blobs: Blobs, *, inline: bool = False) -> Any:
    """Return a text, or a reference if it is large."""
    if text.isascii() and len(text) <= BLOB_BYTES:
        return text
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise PayloadError(f"{path} is not valid Unicode text: {error.reason}") from None
    return text if inline or len(data) <= BLOB_BYTES else keep(TEXT_BLOB, data, blobs)


def clean_int(number: int, path: str) -> int:
    """Return an integer of at most 64 bits."""
    if INT_MIN <= number <= INT_MAX:
        return number
    raise PayloadError(f"{path} is an integer of more than 64 bits; store it as a string")


def check_size(field: str, packed: Any, blobs: Blobs) -> None:
    """Refuse a payload above the limit."""
    inline = len(bytes(packed)) if isinstance(packed, msgspec.Raw) else 0
    size = inline + sum(map(len, blobs.values()))
    if size > MAX_PAYLOAD_BYTES:
        raise PayloadError(
            f"{field} takes {size} bytes, more than {MAX_PAYLOAD_BYTES}; "
            "keep it in a file and store its path and hash"
        )


def check_texts(mark: AnyMark, form: Form) -> None:
    """Refuse a text that is not a string, too long, not valid Unicode, or holds NUL."""
    for field in form.texts:
        check_text(field, getattr(mark, field))


def check_text(field: str, text: object) -> None:
    """Refuse one such text."""
    if not isinstance(text, str):
        raise PayloadError(f"{field} must be a string, not {type(text).__name__}")
    limit = MAX_SCOPE_CHARACTERS if field == "scope" else MAX_TEXT_CHARACTERS
    if len(text) > limit:
        raise PayloadError(f"{field} has {len(text)} characters, more than {limit}; shorten it")
    if "\x00" in text:
        raise PayloadError(f"{field} holds a NUL character; remove it")
    clean_text(text, field, {}, inline=True)


def position(mark: AnyMark, form: Form, agent: bytes) -> tuple[str, str, str, bytes]:
    """Return where a mark of that author is filed, as the fields of a `Filing`."""
    key = "" if form.word is None else index_key(form.prefix, getattr(mark, form.word))
    return mark.scope, form.kind, key, agent


def topic_key(topic: str) -> str:
    """Return the index key of a topic."""
    return index_key(TOPIC[1], topic)


def resource_key(resource: str) -> str:
    """Return the index key of a resource."""
    return index_key(RESOURCE[1], resource)


def index_key(kind: str, word: str) -> str:
    """Return a key that fits into any index: a long word is represented by its hash.

    Raises:
        ValidationError: The word is not text.
    """
    if not isinstance(word, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ValidationError(f"{word!r} must be text to name a topic or resource")
    if len(word) <= MAX_KEY_CHARACTERS:
        return kind + word
    return f"{kind}sha256:{sha256(word.encode(errors='surrogatepass')).hexdigest()}"
