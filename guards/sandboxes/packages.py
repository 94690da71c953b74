"""Python packages of the host that code in a sandbox may need: where, and what comes along.

Sandboxes see the standard library alone. A package that is named is taken from where it is
installed, with what it imports and what it says that it requires, each bound by itself: nothing
else of a system's packages, of a virtual environment or of a home folder comes along.
"""

import re
import sys
import sysconfig
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from guards.sandboxes.asking import asked
from guards.sandboxes.bubblewrap.confinement import (
    LIBRARY,
    PACKAGES,
    interpreter,
    reachable,
    sandbox_uid,
)
from guards.sandboxes.host_things import refuse_packages
from guards.sandboxes.sandbox import SandboxUnavailable

SYSTEMS: Final = Path("/usr/lib/python3/dist-packages")
SYSTEMS_PYTHON: Final = Path("/usr/bin/python3")
INSTALL: Final[Mapping[str, str]] = {
    "torch": (
        "`apt-get install python3-torch libopenblas0-pthread` (Debian: a small build for "
        "processors) or `pip install torch` (the package index's wheel brings CUDA: several GB)"
    ),
    "numpy": "`apt-get install python3-numpy` or `pip install numpy`",
}
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
_PROBE: Final = """
import importlib, importlib.metadata, json, os, re, sys
folder, names = sys.argv[1], sys.argv[2:]
sys.path.append(folder)
for name in names:
    importlib.import_module(name)
entries = set()
for name, module in list(sys.modules.items()):
    said = vars(module)  # not what a module makes up for any name that it is asked for
    for path in [said.get("__file__") or "", *said.get("__path__", ())]:
        if path.startswith(folder + "/"):
            entries.add(path[len(folder) + 1 :].split("/")[0])
plain = lambda name: re.sub(r"[-_.]+", "-", name).lower()
installed = {plain(each.name): each for each in importlib.metadata.distributions(path=[folder])
             if each.name}
owns = {name: {str(file).split("/")[0] for file in each.files or ()} - {"..", "__pycache__"}
        for name, each in installed.items()}
left = [name for name, own in owns.items() if own & entries]
seen = set()
while left:
    if (name := left.pop()) in seen or name not in installed:
        continue
    seen.add(name)
    entries |= owns[name]
    needs = [need for need in installed[name].requires or () if "extra ==" not in need]
    left += [plain(re.match(r"[\\w.-]+", need)[0]) for need in needs]
print(json.dumps(sorted(e for e in entries if os.path.exists(os.path.join(folder, e)))))
"""


def check_packages(names: Iterable[str]) -> str:
    """Return why names cannot be those of packages, as one sentence; empty if they can."""
    for name in names:
        if not _NAME.fullmatch(name):
            return f"{name!r} is no name of a package; use the one that Python imports"
        if name in sys.stdlib_module_names:
            return f"{name} is part of Python, which sandboxes have; leave it out"
    return ""


def package_binds(names: Iterable[str], folders: Iterable[Path] | None = None) -> dict[str, str]:
    """Return paths inside that packages need, to paths of the host.

    All come from one folder, so that what was built together stays together.

    Args:
        names: As Python imports them.
        folders: Where packages are installed; those of this machine if not given.

    Raises:
        SandboxUnavailable: One is missing, or cannot be imported; says what to install.
    """
    named = tuple(sorted(set(names)))
    if not named:
        return {}
    if why := check_packages(named):
        raise SandboxUnavailable(why)
    searched = installed_in() if folders is None else tuple(folders)
    for folder in searched:
        if all(_holds(folder, name) for name in named):
            along = _along(folder, named)
            libraries = Path("/usr/lib").glob("*-linux-gnu") if folder == SYSTEMS else ()
            beside = {f"{LIBRARY}/{path.name}": str(path) for path in libraries}
            return beside | {f"{PACKAGES}/{entry}": str(folder / entry) for entry in along}
    missing = [name for name in named if not any(_holds(folder, name) for folder in searched)]
    raise SandboxUnavailable(missing_package((missing or named)[0], searched))


def require_packages(sandbox: str, names: Collection[str]) -> None:
    """Find packages before anything starts that needs them.

    Raises:
        SandboxUnavailable: One is missing, or the sandbox can have none.
    """
    refuse_packages(sandbox, names)
    package_binds(names)


def missing_package(name: str, searched: Iterable[Path] = ()) -> str:
    """One sentence about a package that is not there: what to install."""
    how = INSTALL.get(name, f"`pip install {name}`")
    places = ", ".join(map(str, searched)) or "no folder that the sandbox's Python could read"
    return (
        f"the Python package {name} is not where sandboxes can use it; {how} (looked in {places})"
    )


def installed_in() -> tuple[Path, ...]:
    """Folders with packages that the sandbox's Python can load and its user can reach."""
    inside, uid = Path(interpreter().path).name, sandbox_uid()
    ours = f"python{sys.version_info.major}.{sys.version_info.minor}"
    folders: list[Path] = []
    if inside in ("python3", ours):
        folders.append(Path(sysconfig.get_path("platlib")))
    systems = SYSTEMS_PYTHON.resolve().name
    if systems == inside or (inside == "python3" and systems == ours):
        folders.append(SYSTEMS)
    return tuple(path for path in folders if path.is_dir() and reachable(path, uid))


def _holds(folder: Path, name: str) -> bool:
    return (folder / name / "__init__.py").is_file() or (folder / f"{name}.py").is_file()


@cache
def _along(folder: Path, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return what lies in a folder that packages need; asked of a Python that imports them."""
    inside = Path(interpreter().path)
    python = str(inside) if inside.is_relative_to("/usr/bin") else sys.executable
    command = [python, "-I", "-S", "-c", _PROBE, str(folder), *names]
    failed = f"{folder} holds {', '.join(names)}, and {python} cannot import it"
    told = asked(command, "packages", failed, env={})
    return msgspec.json.decode(told.splitlines()[-1], type=tuple[str, ...])
