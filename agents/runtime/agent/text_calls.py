"""Tool calls that a model writes in its text, in the formats of the common chat templates.

A call counts where it begins a line, alone or in a fenced block of JSON: an example inside of a
program is none. What stands word for word in something that the model was shown is a quotation.
"""

import ast
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast

LONGEST_TEXT = 400_000  # characters of a reply that are searched
_MOST_CALLS = 64
_LONGEST_PYTHONIC = 20_000
_MOST_PLACES = 500  # of a reply that may be calls
_OPEN, _CLOSE = "<tool_call>", "</tool_call>"
# Hermes and Qwen; Mistral; Llama; DeepSeek, whose words are joined by a sign of their own.
_STARTS = re.compile(
    r"(?P<tag><tool_call>)|(?P<mistral>\[TOOL_CALLS\])|(?P<llama><\|python_tag\|>)"
    r"|(?P<function><function=(?P<name>[\w.-]+)>)"
    r"|(?P<deepseek><\uff5ctool\u2581call\u2581begin\uff5c>)"
    r"|(?P<fence>^[ \t]*(?P<ticks>`{3,}|~{3,})[ \t]*(?P<language>[\w+-]*)[^\n]*$)"
    r"|(?P<bare>^[ \t]*(?=[\[{]))",
    re.MULTILINE,
)
_PARAMETER = re.compile(r"<parameter=([\w.-]+)>\n?(.*?)\n?</parameter>", re.DOTALL)
_NAMED = re.compile(r"\s*([\w.-]+)\s*(?:\[CALL_ID\][^\[{]*)?(?:\[ARGS\])?\s*(?=\{)")
_SEPARATED = re.compile(
    r"(?:function)?(?:<\uff5ctool\u2581sep\uff5c>)?([\w.-]+)\s*(?:<\uff5ctool\u2581sep\uff5c>)?"
    r"\s*(?:```json\s*)?(?=\{)"
)
_JSON_LANGUAGES = frozenset({"", "json", "json5", "jsonc", "tool_call", "tool", "tools", "text"})
_GAP = re.compile(r"[\s;,]*")
_INTEGERS = re.compile(
    r"-?(0|[1-9]\d{0,14})|\[((0|-?[1-9]\d{0,8})(\s*,\s*(0|-?[1-9]\d{0,8})){0,20})?\]"
)
_DECODER = json.JSONDecoder(strict=False)
_MEANT = re.compile(r'"(?:name|function|tool)"\s*:\s*"')


class TextCalls(NamedTuple):
    """The calls in a text.

    Attributes:
        calls: `{"name", "arguments"}` of each, in order; the arguments are JSON text.
        problem: Why what was meant as a call is none; empty if nothing was.
    """

    calls: list[dict[str, Any]]
    problem: str = ""


class _Value(NamedTuple):
    text: str  # as it stands in the reply
    value: Any


class _Found(NamedTuple):
    end: int
    values: Sequence[_Value] = ()
    problem: str = ""


def text_calls(text: str, tools: Iterable[str], shown: Sequence[str] = ()) -> TextCalls:
    """Find the calls in a reply.

    Args:
        text: The reply.
        tools: Names of the tools on offer.
        shown: Texts that the model was shown, such as results of tools.
    """
    if len(text) > LONGEST_TEXT:
        return TextCalls([], f"it has over {LONGEST_TEXT} characters")
    offered, calls, problem = list(tools), list[dict[str, Any]](), ""
    for found in _candidates(text):
        problem = problem or found.problem
        for passage, value in found.values:
            call, why = _call(value, offered)
            if call and any(passage in words for words in shown):
                call, why = None, "it stands word for word in what you were shown"
            calls += [call] if call else []
            problem = problem or why
    return TextCalls(calls[:_MOST_CALLS], "" if calls else problem)


def _candidates(text: str) -> Iterator[_Found]:
    """Yield what may be calls."""
    position = 0
    for _ in range(_MOST_PLACES):
        match = _STARTS.search(text, position)
        if match is None:
            return
        found = _read(text, match)
        yield found
        position = max(found.end, match.end(), match.start() + 1)


def _read(text: str, match: re.Match[str]) -> _Found:
    end = match.end()
    if match["fence"]:
        return _fenced(text, match)
    if match["function"]:
        return _function(text, match["name"], end)
    if match["mistral"]:
        found = _values(text, end)
        return found if found.values else _named(text, end, _NAMED)
    if match["deepseek"]:
        return _named(text, end, _SEPARATED)
    found = _values(text, end)
    rest = text[found.end : found.end + 100].lstrip(" \t")
    if match["tag"]:
        # Half a call is none; that a reply ends right behind a whole one is common.
        is_whole = not rest.strip() or rest.lstrip().startswith((_CLOSE, _OPEN))
        if is_whole and not _is_in_sentence(text, match.start(), found.end):
            return found
        return _Found(end, problem=found.problem)
    if match["bare"] is not None and _is_in_string(text, match.start()):
        return _Found(end)
    if found.values and (match["llama"] or not rest or rest[0] in "\n\r"):
        return found
    if found.values or found.problem:
        return _Found(end, problem=found.problem)
    return _pythonic(text, end)


def _is_in_sentence(text: str, start: int, end: int) -> bool:
    """True where words stand on both sides of a call in tags, on its line."""
    before = text[text.rfind("\n", 0, start) + 1 : start]
    after = text[end : end + 200].lstrip().removeprefix(_CLOSE).split("\n")[0].strip()
    return bool(before.strip()) and after[:1] not in ("", "<")


def _is_in_string(text: str, at: int) -> bool:
    """True within a text in three quotes, as programs have it."""
    return any(text.count(quotes, 0, at) % 2 for quotes in ('"""', "'''"))


def _fenced(text: str, match: re.Match[str]) -> _Found:
    """Read a fenced block: calls if all of it is JSON, nothing of any other."""
    closing = re.compile(rf"^[ \t]*{match['ticks']}[ \t]*$", re.MULTILINE)
    close = closing.search(text, match.end())
    end = close.end() if close else len(text)
    if match["language"].lower() not in _JSON_LANGUAGES:
        return _Found(end)
    body = text[match.end() : close.start() if close else end]
    if body.lstrip().startswith((_OPEN, "<function=")):
        return _Found(match.end())  # what is inside is found by itself
    found = _values(body, 0)
    return _Found(end, () if body[found.end :].strip() else found.values, found.problem)


def _values(text: str, start: int) -> _Found:
    """Read JSON objects, or lists of them, that follow each other."""
    values: list[_Value] = []
    while len(values) < _MOST_CALLS:
        gap = _GAP.match(text, start)
        at = gap.end() if gap else start
        if text[at : at + 1] not in ("{", "["):
            break
        try:
            value, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            is_meant = not values and _MEANT.search(text, at, at + 200)
            return _Found(start, values, "its JSON cannot be read" if is_meant else "")
        several = cast("list[Any]", value) if isinstance(value, list) else [value]
        values += [_Value(text[at:end], each) for each in several]
        start = end
    return _Found(start, values)


def _named(text: str, start: int, pattern: re.Pattern[str]) -> _Found:
    """Read a name and its arguments as JSON, as often as they come."""
    values: list[_Value] = []
    while match := pattern.match(text, start):
        found = _values(text, match.end())
        if not found.values:
            break
        arguments = found.values[0]
        values.append(_Value(arguments.text, {"name": match[1], "arguments": arguments.value}))
        start = found.end
    return _Found(start, values)


def _function(text: str, name: str, start: int) -> _Found:
    """Read `<function=NAME>`: JSON, or parameters in tags of their own."""
    close = text.find("</function>", start)
    if close < 0:
        return _Found(start, problem=f"the call of {name[:80]} has no </function>")
    body = text[start:close].strip()
    if body.startswith("{"):
        found = _values(body, 0)
        given = found.values[0].value if found.values else None
    else:
        given = {key: _typed(value) for key, value in _PARAMETER.findall(body)}
    return _Found(close, [_Value(body, {"name": name, "arguments": given})])


def _typed(value: str) -> Any:
    """A parameter: integers and lists of them are JSON, all else is text."""
    return json.loads(value) if _INTEGERS.fullmatch(value.strip()) else value


def _pythonic(text: str, start: int) -> _Found:
    """Read `[name(key="value"), ...]`, which has to be the rest of the text."""
    body = text[start : start + _LONGEST_PYTHONIC].strip().removesuffix("<|eot_id|>")
    if not re.match(r"\[\s*[\w.]+\(", body):
        return _Found(start)
    try:
        tree = ast.parse(body, mode="eval").body
        elements = tree.elts if isinstance(tree, ast.List) else []
        calls = [element for element in elements if isinstance(element, ast.Call)]
        values = [
            {
                "name": ast.unparse(call.func),
                "arguments": {str(k.arg): ast.literal_eval(k.value) for k in call.keywords},
            }
            for call in calls
        ]
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return _Found(start)
    if len(calls) < len(elements) or any(call.args for call in calls):
        return _Found(start)
    return _Found(len(text), [_Value(body, value) for value in values])


def _call(value: Any, offered: Sequence[str]) -> tuple[dict[str, Any] | None, str]:
    """Make a call of a value, or say why it is none; nothing is said of what nobody meant."""
    if not isinstance(value, dict):
        return None, ""
    outer = cast("dict[str, Any]", value)
    inner: Any = outer.get("function")
    fields = cast("dict[str, Any]", inner) if isinstance(inner, dict) else outer
    name: Any = fields.get("name", inner)
    arguments: Any = fields.get("arguments", fields.get("parameters"))
    if not isinstance(name, str) or (arguments is None and name not in offered):
        return None, ""
    if name not in offered:
        return None, f"there is no tool {name[:80]!r}; there are: {', '.join(offered)}"
    if not isinstance(arguments, dict):
        return None, f"the arguments of {name} must be a JSON object"
    try:
        return {"name": name, "arguments": json.dumps(arguments)}, ""
    except (ValueError, RecursionError):
        return None, f"the arguments of {name} cannot be read"
