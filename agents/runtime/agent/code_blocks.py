"""Answers in the form of code: blocks whose definitions replace those of the same name in a file.

It is the form that small models manage: a block holds what changes and nothing else. A block that
defines all that its file defines replaces the file.
"""

import ast
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

LONGEST_ANSWER = 400_000  # characters
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([^\n`]*)$", re.MULTILINE)
_LANGUAGES = frozenset({"", "python", "python3", "py", "py3"})
_FILE = re.compile(r"[\w./-]*\b(\w+\.py)\b")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)


class AnswerError(ValueError):
    """An answer holds no code that can be taken in; the message is for the model."""


class Block(NamedTuple):
    """A fenced block of Python.

    Attributes:
        path: The file that it names; empty if it names none.
        code: Its text.
        is_cut: Whether the answer ended before it did.
    """

    path: str
    code: str
    is_cut: bool


def has_block(text: str) -> bool:
    """Return whether an answer holds a block of Python."""
    return len(text) <= LONGEST_ANSWER and any(_blocks(text))


def take_answer(text: str, files: Mapping[str, str]) -> dict[str, str]:
    """Return the files that an answer changes, path to text.

    Args:
        text: The answer.
        files: Text of the files that it may change; blocks without a name are of the first.

    Raises:
        AnswerError: It changes nothing, or holds no Python that can be read.
    """
    if len(text) > LONGEST_ANSWER:
        raise AnswerError(f"the answer has over {LONGEST_ANSWER} characters")
    changed: dict[str, str] = {}
    blocks = list(_blocks(text))
    if not blocks:
        raise AnswerError("the answer holds no block of Python between lines of ```")
    for block in blocks:
        path = block.path or next(iter(files))
        if path not in files:
            raise AnswerError(f"{path} is no file to change; there are {', '.join(files)}")
        changed[path] = merged(changed.get(path, files[path]), block.code, is_cut=block.is_cut)
    changed = {path: code for path, code in changed.items() if code != files[path]}
    if not changed:
        raise AnswerError("the code of the answer is what the file holds already")
    return changed


def merged(source: str, code: str, *, is_cut: bool = False) -> str:
    """Return a file with the definitions of a block in it.

    Args:
        source: The file.
        code: The block.
        is_cut: Whether its end is missing: a definition that is not whole is left out.

    Raises:
        AnswerError: The block is no Python, or defines nothing.
    """
    code = textwrap.dedent(code).strip("\n") + "\n"
    block = _parsed(code, is_cut=is_cut)
    code = "".join(code.splitlines(keepends=True)[: max(_ends(block), default=0)])
    new = _names(block.body)
    if not new:
        raise AnswerError("the block defines nothing: write whole functions, classes or constants")
    try:
        own = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code  # there is nothing to keep of a file that is no Python
    there = _names(own.body)
    for name, node in new.items():
        if name in there and _is_left_out(node):
            raise AnswerError(f"the body of {name} was left out: write all of it")
    if _all_names(own.body) <= _all_names(block.body):
        return code
    result = _replaced(source, own, code, block)
    try:
        ast.parse(result)
    except SyntaxError as error:
        raise AnswerError(f"put into the file, line {error.lineno} is no Python") from error
    return result


def _blocks(text: str) -> Iterator[Block]:
    position, found = 0, False
    while match := _FENCE.search(text, position):
        close = re.compile(rf"^[ \t]*{match[1]}[ \t]*$", re.MULTILINE).search(text, match.end())
        body = text[match.end() + 1 : close.start() if close else len(text)]
        language, _, rest = match[2].strip().replace(":", " ").partition(" ")
        if language.lower() in _LANGUAGES or language.endswith(".py"):
            found = True
            before = text[position : match.start()].rstrip().rpartition("\n")[2]
            yield Block(_path(f"{language} {rest}", body, before), body, close is None)
        position = close.end() if close else len(text)
    if not found and re.search(r"^(def|class|async def) \w+", text, re.MULTILINE):
        start = re.search(r"^(import|from|def|class|async def|@|[A-Z_]+ = )", text, re.MULTILINE)
        yield Block("", text[start.start() if start else 0 :], is_cut=True)


def _path(info: str, body: str, before: str) -> str:
    """The file that a block names: beside its fence, in a first comment, in the line above."""
    first = body.lstrip().partition("\n")[0]
    comment = first if first.startswith("#") and len(first) < 80 else ""
    heading = before if len(before) < 80 and before.rstrip("`*: ").endswith(".py") else ""
    for text in (info, comment, heading):
        if match := _FILE.search(text):
            return match[1]
    return ""


def _parsed(code: str, *, is_cut: bool) -> ast.Module:
    """Parse a block; of one that is cut, as many whole statements as there are.

    Raises:
        AnswerError: It is no Python.
    """
    lines, problem = code.splitlines(keepends=True), ""
    for end in _cuts(lines) if is_cut else [len(lines)]:
        try:
            return ast.parse("".join(lines[:end]))
        except SyntaxError as error:
            problem = problem or f"line {error.lineno}: {error.msg}"
        except (ValueError, RecursionError, MemoryError) as error:
            problem = problem or type(error).__name__
    cut = "; it was cut off: write less" if is_cut else ""
    raise AnswerError(f"the block is no Python ({problem}){cut}")


def _ends(block: ast.Module) -> list[int]:
    return [node.end_lineno or 0 for node in block.body]


def _cuts(lines: list[str]) -> list[int]:
    """Where a block may be cut: behind all of it, and before each line at its left edge."""
    edges = [i for i, line in enumerate(lines) if i and line[:1].strip() and line[0] not in ")]}#"]
    return [len(lines), *reversed(edges)][:50]


def _names(body: Iterable[ast.stmt]) -> dict[str, ast.stmt]:
    """What statements define, by name; of a name that is defined twice, the last."""
    names: dict[str, ast.stmt] = {}
    for node in body:
        if isinstance(node, _DEFINITIONS):
            names[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= {target.id: node for target in targets if isinstance(target, ast.Name)}
    return names


def _all_names(body: Iterable[ast.stmt]) -> set[str]:
    """What statements define, members of classes included."""
    return {
        name
        for outer, node in _names(body).items()
        for name in (outer, *(f"{outer}.{n}" for n in _names(getattr(node, "body", ()))))
    }


def _is_left_out(node: ast.stmt) -> bool:
    """Return whether a function has a docstring, `pass` or `...` for a body."""
    idle = (ast.Pass, ast.Expr)
    return isinstance(node, _FUNCTIONS) and all(
        isinstance(each, idle) and not isinstance(getattr(each, "value", None), ast.Call)
        for each in node.body
    )


class _Edits:
    """Changes of a file, by its lines, which are made all at once."""

    def __init__(self, source: str) -> None:
        self._lines = source.splitlines(keepends=True)
        self._edits: list[tuple[int, int, str]] = []

    def replace(self, node: ast.stmt, text: str) -> None:
        """Put a text in the place of a statement."""
        self._edits.append((_start(node), node.end_lineno or 0, text))

    def insert(self, line: int, text: str) -> None:
        """Put a text before a line, from 1."""
        self._edits.append((line, line - 1, text))

    def text(self) -> str:
        """The changed file."""
        lines = [*self._lines[:-1], *(line.rstrip("\n") + "\n" for line in self._lines[-1:])]
        for start, end, text in sorted(self._edits, key=lambda edit: edit[:2], reverse=True):
            lines[start - 1 : end] = [text]
        return "".join(lines)


def _replaced(source: str, own: ast.Module, code: str, block: ast.Module) -> str:
    """Put each definition in the place of its namesake, and new ones before the file's first."""
    edits, there = _Edits(source), _names(own.body)
    imports, new = list[str](), list[str]()
    imported = {ast.unparse(node) for node in own.body}
    classes = [node for node in own.body if isinstance(node, ast.ClassDef)]
    for node in block.body:
        names = [name for name, each in _names([node]).items() if each is node]
        twin = next((there[name] for name in names if name in there), None)
        if isinstance(node, ast.ClassDef) and isinstance(twin, ast.ClassDef):
            _take_members(edits, code, node.body, twin)
        elif twin is not None:
            edits.replace(twin, _text(code, node))
        elif classes and isinstance(node, _FUNCTIONS) and _is_method(node):
            _take_members(edits, code, [node], classes[-1])
        elif isinstance(node, _IMPORTS) and ast.unparse(node) not in imported:
            imports.append(_text(code, node))
        elif names:
            new.append(_text(code, node))
    ends = [node.end_lineno or 0 for node in own.body if isinstance(node, _IMPORTS)]
    first = next((_start(n) for n in own.body if isinstance(n, _DEFINITIONS)), None)
    first = first or max([*ends, 0]) + 1
    edits.insert(max(ends) + 1 if ends else first, "".join(imports))
    edits.insert(first, "".join(f"{text}\n\n" if "\n " in text else text for text in new))
    return edits.text()


def _take_members(edits: _Edits, code: str, body: Iterable[ast.stmt], owner: ast.ClassDef) -> None:
    """Put members of a class in the place of their namesakes, new ones at its end."""
    there, depth = _names(owner.body), owner.body[0].col_offset
    for name, node in _names(body).items():
        text = _text(code, node, depth)
        if name in there:
            edits.replace(there[name], text)
        else:
            edits.insert((owner.end_lineno or 0) + 1, f"\n{text}")


def _is_method(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(argument.arg == "self" for argument in node.args.args[:1])


def _start(node: ast.stmt) -> int:
    """The first line of a statement, its decorators included."""
    decorators = getattr(node, "decorator_list", ())
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _text(code: str, node: ast.stmt, depth: int = 0) -> str:
    """A statement's lines at a depth; texts that go over lines stay as they are where they can."""
    lines = code.splitlines()[_start(node) - 1 : node.end_lineno]
    if node.col_offset != depth:
        margin = node.col_offset
        bare = [line[margin:] if line[:margin].isspace() else line for line in lines]
        lines = [" " * depth + line if line.strip() else line for line in bare]
    return "\n".join(lines) + "\n"


def fenced(text: str, language: str = "") -> str:
    """A text between lines of backticks that it does not hold."""
    longest = max((len(run) for run in re.findall("`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def cut(text: str, most: int) -> str:
    """A text, in at most about so many characters: its middle goes first."""
    half = most // 2
    return text if len(text) <= most else f"{text[:half]}\n[...]\n{text[-half:]}"
