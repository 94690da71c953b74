"""The languages of answers: how a source file is run, and what the machine must have for it."""

from typing import NamedTuple

from guards.sandboxes.tools import find_tool, missing_tool
from hyperspace.tasks.base import DomainDataError


class Language(NamedTuple):
    """How answers in a language run.

    Attributes:
        file: Name of the source file.
        steps: Command lines, the last of which reads the cases; see `Execution`.
        tools: Programs of the machine that they need beside Python.
    """

    file: str
    steps: tuple[tuple[str, ...], ...]
    tools: tuple[str, ...] = ()


LANGUAGES = {
    "python": Language("solution.py", (("{python}", "-s", "-S", "solution.py"),)),
    "javascript": Language(
        "solution.js", (("node", "--max-old-space-size=512", "solution.js"),), ("node",)
    ),
    "c": Language(
        "solution.c",
        (("gcc", "-std=c17", "-O2", "-o", "solution", "solution.c", "-lm"), ("./solution",)),
        ("gcc",),
    ),
    "cpp": Language(
        "solution.cpp",
        (("g++", "-std=c++17", "-O2", "-o", "solution", "solution.cpp"), ("./solution",)),
        ("g++",),
    ),
    "java": Language(
        "Main.java",
        (
            ("javac", "-J-Xmx512m", "Main.java"),
            ("java", "-Xmx512m", "-XX:+UseSerialGC", "Main"),
        ),
        ("javac", "java"),
    ),
}
BY_DEFAULT = ("python", "javascript")


def choose_languages(wanted: str) -> tuple[str, ...]:
    """Read the option `languages`.

    Args:
        wanted: Names joined by commas; empty for Python, and JavaScript where Node is found.

    Raises:
        DomainDataError: A language is unknown or its tools are missing; says what to install.
    """
    if not wanted:
        return tuple(name for name in BY_DEFAULT if not missing_tools(name))
    names = tuple(dict.fromkeys(wanted.split(",")))
    for name in names:
        if name not in LANGUAGES:
            raise DomainDataError(
                f"polyglot: no language {name!r}; there are {', '.join(LANGUAGES)}"
            )
        if missing := missing_tools(name):
            raise DomainDataError(f"polyglot: {name} cannot run here: {missing_tool(missing[0])}")
    return names


def missing_tools(name: str) -> tuple[str, ...]:
    """Tools of a language that this machine lacks."""
    return tuple(tool for tool in LANGUAGES[name].tools if find_tool(tool) is None)
