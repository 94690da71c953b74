"""A shell command taken apart into simple commands, without running or trusting anything.

What is understood is plain: words, quotes, redirections, here-documents, pipes, lists, loops'
heads and substitutions. What is not (functions, arithmetic, arrays) comes out as words like any
others, so that nothing is found in it by mistake that names no file.
"""

import posixpath
import re
from collections.abc import Iterator
from itertools import dropwhile
from typing import Final, NamedTuple

_OPERATORS: Final = ("&&", "||", ";;", "|&", ";", "|", "&", "(", ")", "\n")
_REDIRECTIONS: Final = ("&>>", "<<<", "<<-", "&>", ">>", "<<", ">&", "<&", ">|", "<>", ">", "<")
_BLANK: Final = " \t\r"
KEYWORDS: Final = frozenset(
    ("do", "then", "else", "elif", "if", "while", "until", "{", "!", "time")
)
"""Words of the shell that stand before a command."""

_READS_NOTHING: Final = frozenset(
    ("echo", "printf", "rm", "rmdir", "mkdir", "touch", "chmod", "true", ":")
)
_RUNS: Final = re.compile(r"python[\d.]*|bash|sh|dash|zsh|perl|node|xargs")
_DEEPEST: Final = 20  # substitutions within substitutions that are looked into


class ShellWord(NamedTuple):
    """One word of a command.

    Attributes:
        text: Its text, quotes removed.
        fixed: Whether it was in single quotes or escaped, so that `$` in it is a plain character.
    """

    text: str
    fixed: bool = False


class Simple(NamedTuple):
    """One simple command.

    Attributes:
        words: The program and its arguments.
        inputs: Files that are redirected into it.
        outputs: Files that its output goes to.
        document: The here-document that it reads; empty if there is none.
        piped: Whether it reads what another command prints.
    """

    words: tuple[ShellWord, ...]
    inputs: tuple[ShellWord, ...] = ()
    outputs: tuple[ShellWord, ...] = ()
    document: str = ""
    piped: bool = False


def simple_commands(text: str, depth: int = 0) -> Iterator[Simple]:
    """The simple commands of a text in the order in which they stand, substitutions first."""
    return _Reader(text, depth).commands()


def what_reads(text: str) -> str:
    """A shell text without what reads nothing: comments, what is echoed, files that are written.

    One simple command a line, with the files that are redirected into it. A here-document stays
    where a program runs it, and goes where it becomes a file.
    """
    lines: list[str] = []
    for simple in simple_commands(text):
        words = list(dropwhile(KEYWORDS.__contains__, (word.text for word in simple.words)))
        program = posixpath.basename(words[0]) if words else ""
        if program not in _READS_NOTHING:
            lines.append(" ".join([*words, *(word.text for word in simple.inputs)]))
            lines += [simple.document] if _RUNS.fullmatch(program) else []
    return "\n".join(lines)


class _Reader:
    def __init__(self, text: str, depth: int) -> None:
        self._text = text
        self._depth = depth
        self._at = 0
        self._inner: list[str] = []

    def commands(self) -> Iterator[Simple]:
        piped = False
        while self._at < len(self._text):
            command, operator = self._command()
            for inner in self._inner if self._depth < _DEEPEST else ():
                yield from simple_commands(inner, self._depth + 1)
            self._inner.clear()
            if command.words or command.inputs or command.outputs:
                yield command._replace(piped=piped)
            piped = operator in ("|", "|&")

    def _command(self) -> tuple[Simple, str]:
        """Read up to the next operator; a here-document's text is behind its line."""
        words: list[ShellWord] = []
        redirected: dict[str, list[ShellWord]] = {"<": [], ">": []}
        endings: list[ShellWord] = []
        document = ""
        while self._at < len(self._text):
            self._skip_blank()
            signs = (sign for sign in _OPERATORS if self._text.startswith(sign, self._at))
            operator = next(signs, "")
            if operator and not self._text.startswith("&>", self._at):
                self._at += len(operator)
                line = None if operator == "\n" or not endings else self._line()
                document = self._document(endings) if endings else document
                if line is not None:  # it goes on behind the command: put it back
                    self._text, self._at = f"{line}\n{self._text[self._at :]}", 0
                return self._made(words, redirected, document), operator
            if arrow := self._arrow():
                self._skip_blank()
                target = self._word() if self._at < len(self._text) else ShellWord("")
                if arrow in ("<<", "<<-"):
                    endings.append(target)
                elif arrow != "<<<" and not (
                    arrow in (">&", "<&") and (target.text.isdigit() or target.text == "-")
                ):
                    redirected["<" if arrow == "<" else ">"].append(target)
            elif self._at < len(self._text):
                words.append(self._word())
        return self._made(words, redirected, document), ""

    def _made(
        self, words: list[ShellWord], files: dict[str, list[ShellWord]], document: str
    ) -> Simple:
        return Simple(tuple(words), tuple(files["<"]), tuple(files[">"]), document)

    def _skip_blank(self) -> None:
        text = self._text
        while self._at < len(text):
            if text[self._at] in _BLANK:
                self._at += 1
            elif text.startswith("\\\n", self._at):
                self._at += 2
            elif text[self._at] == "#":
                end = text.find("\n", self._at)
                self._at = len(text) if end < 0 else end
            else:
                return

    def _arrow(self) -> str:
        """A redirection, with the number before it passed over; nothing if there is none."""
        at = self._at
        while at < len(self._text) and self._text[at].isdigit():
            at += 1
        sign = next((sign for sign in _REDIRECTIONS if self._text.startswith(sign, at)), "")
        if sign and not self._text.startswith(("<(", ">("), at):
            self._at = at + len(sign)
        else:
            sign = ""
        return sign

    def _document(self, endings: list[ShellWord]) -> str:
        """Take the lines up to the ending word; the reader stands behind the line's end."""
        taken = ""
        for ending in endings:
            lines: list[str] = []
            while self._at < len(self._text):
                line = self._line()
                if line.strip("\t") == ending.text:
                    break
                lines.append(line)
            taken += "".join(f"{line}\n" for line in lines)
        return taken

    def _line(self) -> str:
        """Take what is left of a line, without its end."""
        end = self._text.find("\n", self._at)
        end = len(self._text) if end < 0 else end
        line = self._text[self._at : end]
        self._at = min(end + 1, len(self._text))
        return line

    def _word(self) -> ShellWord:
        parts: list[str] = []
        fixed = False
        start = self._at
        while self._at < len(self._text):
            sign = self._text[self._at]
            if sign in _BLANK or sign in "\n;|&()<>":
                if sign in "<>" and self._text.startswith(f"{sign}(", self._at):
                    parts.append(self._substitution(self._at + 1))
                    continue
                break
            if sign == "'":
                end = self._text.find("'", self._at + 1)
                end = len(self._text) if end < 0 else end
                parts.append(self._text[self._at + 1 : end])
                fixed = True
                self._at = end + 1
            elif sign == '"':
                parts.append(self._double())
            elif sign == "\\":
                parts.append(self._text[self._at + 1 : self._at + 2])
                fixed = True
                self._at += 2
            elif sign == "`" or self._text.startswith("$(", self._at):
                parts.append(self._substitution(self._at + (sign == "$")))
            else:
                parts.append(sign)
                self._at += 1
        if self._at == start:  # nothing that a word can begin with: pass it over
            self._at += 1
        return ShellWord("".join(parts), fixed)

    def _double(self) -> str:
        parts: list[str] = []
        self._at += 1
        while self._at < len(self._text) and self._text[self._at] != '"':
            if (
                self._text[self._at] == "\\"
                and self._text[self._at + 1 : self._at + 2] in '"\\$`\n'
            ):
                parts.append(self._text[self._at + 1 : self._at + 2])
                self._at += 2
            elif self._text[self._at] == "`" or self._text.startswith("$(", self._at):
                parts.append(self._substitution(self._at + (self._text[self._at] == "$")))
            else:
                parts.append(self._text[self._at])
                self._at += 1
        self._at += 1
        return "".join(parts)

    def _substitution(self, opening: int) -> str:
        """Put a command that stands in a word aside; its output is not known."""
        if self._text[opening] == "`":
            end = self._text.find("`", opening + 1)
            end = len(self._text) if end < 0 else end
        else:
            depth, end = 1, opening
            while depth and (end := end + 1) < len(self._text):
                depth += {"(": 1, ")": -1}.get(self._text[end], 0)
        self._inner.append(self._text[opening + 1 : end])
        self._at = end + 1
        return ""
