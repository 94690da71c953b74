"""The body of an error in whatever shape it comes: JSON of any kind, plain text, a page of HTML.

A body may quote the request. What was sent is cut out before any pattern looks at the text, so that
code in a sandbox cannot word an error by writing it into its own message.
"""

import html
import json
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Final, cast

import msgspec

MOST_BYTES: Final = 65_536
CUT: Final = " [...] "
_DEEPEST: Final = 20
_MOST_LEAVES: Final = 400
# Where bodies repeat the request, or what the model wrote.
_QUOTING: Final = frozenset(
    [
        "input",
        "input_value",
        "request",
        "request_body",
        "messages",
        "prompt",
        "tools",
        "failed_generation",
        "stack",
        "traceback",
    ]
)
_CODES: Final = frozenset(["code", "type", "error", "error_code", "error_type", "reason", "status"])
_STATUSES: Final = frozenset(["code", "status", "status_code", "http_code", "error_code"])
_PLACES: Final = frozenset(["param", "loc", "parameter", "field", "property", "pointer", "path"])
_UNSAID: Final = frozenset(
    [
        "id",
        "request_id",
        "trace_id",
        "object",
        "doc_url",
        "documentation_url",
        "url",
        "help",
        "timestamp",
    ]
)
_CODE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{2,79}")
_PAGE: Final = re.compile(r"\s*<(!doctype html|html|head|body)\b", re.IGNORECASE)
_SCRIPT: Final = re.compile(r"<(script|style)\b.*?</\1\s*>|<!--.*?-->", re.DOTALL | re.IGNORECASE)
_TAG: Final = re.compile(r"<[^<>]{0,2000}>")
# A request that is repeated as text, as pydantic does.
_ECHO: Final = re.compile(r"input(_value)?['\"]?\s*[=:]\s*[{\[].*", re.DOTALL)
_MARKED: Final = re.compile(r"""(['"`])([^'"`\n]{4,400})\1""")
_STEP: Final = 8  # of two texts, a common run of 15 characters holds an aligned piece of 8
_SHORTEST_QUOTE: Final = 16


class ErrorBody(msgspec.Struct, frozen=True):
    """What a server says of an error.

    Attributes:
        said: Its words, for people.
        words: The same in lower case, without what it quotes of the request, for patterns.
        codes: Codes and types, in lower case.
        places: Fields of the request that it points at, such as `body.seed`.
        status: The HTTP status that it holds; None if it holds none.
        is_page: Whether it is a page of HTML.
        is_text: Whether it is no JSON.
    """

    said: str = ""
    words: str = ""
    codes: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    status: int | None = None
    is_page: bool = False
    is_text: bool = False


def read_error(body: object, sent: Mapping[str, Any] | None = None) -> ErrorBody:
    """Read an error's body; whatever it is, there is an answer.

    Args:
        body: Bytes or text as they came, or plain data.
        sent: The body of the request.
    """
    if isinstance(body, bytes):
        body = body[:MOST_BYTES].decode("utf-8-sig", "replace")
    is_page = isinstance(body, str) and _PAGE.match(body) is not None
    if isinstance(body, str):
        body = page_text(body) if is_page else _plain_data(body)
    leaves = list(islice(_leaves(body, "", 0), _MOST_LEAVES))
    texts = [(key, leaf) for key, leaf in leaves if isinstance(leaf, str)]
    said = "; ".join(leaf for key, leaf in texts if leaf.strip() and key not in _UNSAID)
    codes = [leaf.lower() for key, leaf in texts if key in _CODES and _CODE.fullmatch(leaf)]
    numbers = [
        f"{key}: {leaf}"
        for key, leaf in leaves
        if not isinstance(leaf, str) and key not in _STATUSES
    ]
    # An echo may be in capitals, or on one line.
    plain = _plain_words(said[:MOST_BYTES])
    words = _ECHO.sub(CUT, _without_quotes(plain, _plain_words(_sent_texts(sent))))
    return ErrorBody(
        said=said[:MOST_BYTES],
        words="; ".join([*codes, words, *numbers]).lower(),
        codes=tuple(codes),
        places=tuple(leaf for key, leaf in texts if key in _PLACES),
        status=next(filter(None, map(_status, _at(leaves, _STATUSES))), None),
        is_page=is_page,
        is_text=isinstance(body, str),
    )


def page_text(page: str) -> str:
    """The words of a page of HTML."""
    return html.unescape(_TAG.sub(" ", _SCRIPT.sub(" ", page)))


def tells_of_error(error: object) -> bool:
    """Return whether the value of a field `error` says something; some servers always send one."""
    if isinstance(error, dict):
        return any(cast("dict[object, object]", error).values())
    return bool(error)


def _plain_data(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _leaves(value: object, key: str, depth: int) -> Iterator[tuple[str, str | float]]:
    """Texts and numbers with the key that they stand under, in their order."""
    if depth > _DEEPEST or key in _QUOTING:
        return
    if isinstance(value, dict):
        for name, inner in cast("dict[object, object]", value).items():
            yield from _leaves(inner, str(name), depth + 1)
    elif isinstance(value, list) and key in _PLACES:
        yield key, ".".join(map(str, cast("list[object]", value)))
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from _leaves(inner, key, depth + 1)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield key, value


def _at(leaves: list[tuple[str, str | float]], keys: frozenset[str]) -> list[str | float]:
    return [leaf for key, leaf in leaves if key in keys]


def _status(leaf: str | float) -> int | None:
    text = str(leaf)
    return int(text) if re.fullmatch(r"[45]\d\d", text) else None


def _sent_texts(sent: Mapping[str, Any] | None) -> str:
    """The words of a request, a line each."""
    texts = list[str]()
    values: list[object] = list((sent or {}).values())
    while values:
        value = values.pop()
        if isinstance(value, str):
            texts.append(value)
        elif isinstance(value, dict):
            values += cast("dict[object, object]", value).values()
        elif isinstance(value, list | tuple):
            values += cast("list[object]", value)
    return "\n".join(texts)


def _plain_words(text: str) -> str:
    return " ".join(text.split()).lower()


def _without_quotes(text: str, sent: str) -> str:
    """A text without what it has in common with what was sent, and without quoted words of it."""
    pieces = {sent[at : at + _STEP]: at for at in range(0, len(sent) - _STEP + 1, _STEP)}
    kept, at, done = list[str](), 0, 0
    while pieces and at + _STEP <= len(text):
        source = pieces.get(text[at : at + _STEP])
        begin, end = (at, at) if source is None else _common_run(text, at, sent, source, done)
        if end - begin < _SHORTEST_QUOTE:
            at += 1
            continue
        kept += [text[done:begin], CUT]
        at = done = end
    kept.append(text[done:])

    def unmarked(match: re.Match[str]) -> str:
        # One word may be the name of a field.
        return CUT if " " in match[2].strip() and match[2] in sent else match[0]

    return _MARKED.sub(unmarked, "".join(kept))


def _common_run(text: str, at: int, sent: str, source: int, least: int) -> tuple[int, int]:
    """Begin and end in a text of what it has in common with what was sent, around a piece of it."""
    begin, end, before, after = at, at + _STEP, source, source + _STEP
    while begin > least and before > 0 and text[begin - 1] == sent[before - 1]:
        begin, before = begin - 1, before - 1
    while end < len(text) and after < len(sent) and text[end] == sent[after]:
        end, after = end + 1, after + 1
    return begin, end
