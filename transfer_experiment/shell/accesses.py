"""What the tool calls of one generation reached for: files by their place, environment, network.

A shell stays open for a generation, so its folder and variables carry over from call to call.
What a command would do is read from its text; nothing is run. Paths that cannot be told (a
variable that was never set, the output of another command) are left out.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise, product
from typing import Final, NamedTuple

from runs.trace import ToolUse
from transfer_experiment.shell.program_text import opened
from transfer_experiment.shell.programs import Way, connects, lists_environment, uses
from transfer_experiment.shell.shell_words import KEYWORDS, ShellWord, Simple, simple_commands

_VARIABLE: Final = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_ASSIGNED: Final = re.compile(r"(\w+)=(.*)", re.DOTALL)
_WRAPPERS: Final = frozenset(("sudo", "nohup", "command", "exec", "builtin", "nice", "stdbuf"))
_SHELLS: Final = frozenset(("bash", "sh", "dash", "zsh"))
_PYTHON: Final = re.compile(r"python[\d.]*")
_FD: Final = re.compile(r"/dev/(?:tcp|udp)/")
_MOST_VALUES: Final = 8  # of one word, where variables of loops multiply
_DEEPEST: Final = 5  # commands within commands: xargs, bash -c, find -exec


class Access(NamedTuple):
    """A file or folder that a tool call reached for.

    Attributes:
        way: What for.
        path: Absolute where the workspace is known, `.` and `..` resolved; it may be a pattern.
    """

    way: Way
    path: str


class ShellAccesses(NamedTuple):
    """Files, environment and network that one tool call reached for.

    Attributes:
        files: Files and folders.
        environment: True if it lists the environment variables.
        network: True if it asks for the network.
    """

    files: tuple[Access, ...] = ()
    environment: bool = False
    network: bool = False


class Session:
    """Follows the tool calls of one generation.

    Args:
        root: The workspace, where a shell begins; empty if it is not known.
    """

    def __init__(self, root: str) -> None:
        self.root = posixpath.normpath(root) if root else ""
        self._home = self.root
        self._last = self._home
        self._variables: dict[str, tuple[str, ...]] = {}
        if root:
            self._variables["PWD"] = (self.root,)

    def follow(self, tool: ToolUse) -> ShellAccesses:
        """Return what a tool call reaches for, after all that came before it."""
        if tool.name == "editor" and (path := tool.argument("path")):
            way: Way = "read" if tool.argument("command") == "view" else "write"
            return ShellAccesses((Access(way, self.place(path, self.root)),))
        if tool.name != "bash":
            return ShellAccesses()
        reaches = list(self._commands(tool.argument("command"), 0))
        return ShellAccesses(
            tuple(dict.fromkeys(access for reach in reaches for access in reach.files)),
            any(reach.environment for reach in reaches),
            any(reach.network for reach in reaches),
        )

    def place(self, path: str, folder: str | None = None) -> str:
        """A path as seen from a folder, `.` and `..` resolved, `~` kept as the home it is."""
        if path.startswith("~"):
            return posixpath.normpath(path)
        return posixpath.normpath(posixpath.join(self._home if folder is None else folder, path))

    def _commands(self, text: str, depth: int) -> Iterator[ShellAccesses]:
        if depth > _DEEPEST:
            return
        for simple in simple_commands(text):
            files = [Access("read", path) for word in simple.inputs for path in self._values(word)]
            files += [Access("write", path) for w in simple.outputs for path in self._values(w)]
            yield ShellAccesses(
                tuple(Access(a.way, self.place(a.path)) for a in files if not _FD.match(a.path)),
                network=any(_FD.match(access.path) for access in files),
            )
            words = [value for word in simple.words for value in self._values(word)]
            yield from self._run(words, simple, depth)

    def _run(self, words: Sequence[str], simple: Simple, depth: int) -> Iterator[ShellAccesses]:
        words = self._without_heads(words)
        if not words or depth > _DEEPEST:
            return
        program, arguments = posixpath.basename(words[0]), words[1:]
        fed = simple.piped or bool(simple.inputs or simple.document)
        if program in ("cd", "pushd", "popd"):
            self._go(program, arguments)
            yield ShellAccesses()
        elif program == "for":
            if len(arguments) > 2 and arguments[1] == "in":
                self._variables[arguments[0]] = tuple(arguments[2:])[:_MOST_VALUES]
        elif program in _SHELLS:
            # `bash -c COMMAND`, not the file of a script
            scripts = (to for flag, to in pairwise(arguments) if re.fullmatch(r"-[a-z]*c", flag))
            yield from self._commands(next(scripts, "") or simple.document, depth + 1)
        elif _PYTHON.fullmatch(program):
            yield from self._python(arguments, simple.document, depth)
        elif program == "xargs" or (program == "env" and not lists_environment(program, arguments)):
            yield from self._run(_behind_options(arguments), simple, depth + 1)
        elif program in ("export", "declare", "local", "readonly") and arguments:
            self._without_heads(arguments)
        elif program == "eval":
            yield from self._commands(" ".join(arguments), depth + 1)
        else:
            yield self._named(program, arguments, fed=fed)

    def _named(self, program: str, arguments: Sequence[str], *, fed: bool) -> ShellAccesses:
        files = uses(program, arguments, fed=fed)
        return ShellAccesses(
            tuple(
                Access(use.way, self.place(use.path))
                for use in files
                if use.path and "$" not in use.path and "\n" not in use.path
            ),
            environment=lists_environment(program, arguments),
            network=connects(program, arguments),
        )

    def _python(
        self, arguments: Sequence[str], document: str, depth: int
    ) -> Iterator[ShellAccesses]:
        source = document
        if "-c" in arguments[:-1]:
            source = arguments[list(arguments).index("-c") + 1]
        program = opened(source)
        yield ShellAccesses(
            tuple(Access("read", self.place(path)) for path in program.paths if path),
            program.environment,
            program.network,
        )
        for command in program.commands:
            yield from self._commands(command, depth + 1)

    def _without_heads(self, words: Sequence[str]) -> list[str]:
        """Take off keywords and what only wraps a command; remember what is assigned."""
        rest = list(words)
        while rest:
            assigned = _ASSIGNED.fullmatch(rest[0])
            if assigned:
                self._variables[assigned[1]] = (assigned[2],)
            elif rest[0] == "timeout" and len(rest) > 1:
                rest = _behind_options(rest[1:])
            elif rest[0] not in KEYWORDS and rest[0] not in _WRAPPERS:
                break
            rest = rest[1:]
        return rest

    def _go(self, program: str, arguments: Sequence[str]) -> None:
        targets = [argument for argument in arguments if argument == "-" or argument[:1] != "-"]
        here = self._home
        if program == "popd" or targets[:1] == ["-"]:
            self._home = self._last
        elif targets:
            self._home = self.place(targets[0])
        else:
            self._home = "~"
        self._last = here
        self._variables["PWD"] = (self._home,)
        self._variables["OLDPWD"] = (here,)

    def _values(self, word: ShellWord) -> list[str]:
        """The texts that a word may stand for; a variable that is not known stays as it is."""
        if word.fixed or "$" not in word.text:
            return [word.text]
        names = dict.fromkeys(hit[1] or hit[2] for hit in _VARIABLE.finditer(word.text))
        variables = {"HOME": ("~",)} | self._variables
        set_names = {name: variables[name] for name in names if variables.get(name)}
        chosen = islice(product(*set_names.values()), _MOST_VALUES)
        filled = (dict(zip(set_names, values, strict=True)) for values in chosen)
        # In one go: what variables hold is not looked into again.
        return [
            _VARIABLE.sub(lambda hit, of=values: of.get(hit[1] or hit[2], hit[0]), word.text)
            for values in filled
        ]


def _behind_options(arguments: Sequence[str]) -> list[str]:
    rest = list(arguments)
    while rest and (rest[0].startswith("-") or _ASSIGNED.fullmatch(rest[0])):
        takes_value = rest[0] in ("-n", "-I", "-L", "-P", "-d", "-u", "-s", "-k")
        rest = rest[2:] if takes_value else rest[1:]
    return rest
