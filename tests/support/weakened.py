"""A bubblewrap sandbox with walls taken away: tests show that attacks then succeed.

What is taken away, and why, is in `guards.defences`. Walls that bubblewrap simply is not asked for
(namespaces, say) are left out by `BubblewrapSandbox` itself; those that have to be replaced by
something open are replaced here, so that no product code knows how.
"""

from pathlib import Path

from guards.defences import Defence, Without
from guards.sandboxes.bubblewrap.bubblewrap import BubblewrapSandbox
from guards.sandboxes.bubblewrap.confinement import Interpreter
from guards.sandboxes.sandbox import Job

OURS = ("proc", "dev", "workspace", "usr", "bin", "lib", "lib64", "lib32", "run")  # mounted anyway
ROOT_RIGHTS = ("--cap-add", "ALL")


class WeakenedBubblewrap(BubblewrapSandbox):
    """A `BubblewrapSandbox` whose other walls can be taken away, too."""

    def walls(self, python: Interpreter, job: Job) -> list[str]:
        """Arguments for bubblewrap that open what is to be open."""
        return weakened(super().walls(python, job), self._without)


def weakened(arguments: list[str], without: Without) -> list[str]:
    """Take walls away from a command line."""
    if Defence.PROCESSES in without:
        arguments = _replaced(arguments, ["--proc", "/proc"], ["--bind", "/proc", "/proc"])
    if Defence.MOUNTS in without:
        arguments = _with_the_hosts_files(arguments)
    if Defence.READ_ONLY in without:
        arguments = _writable(arguments)
    if Defence.CAPABILITIES in without:
        arguments = [*ROOT_RIGHTS, *arguments]
    return arguments


def _with_the_hosts_files(arguments: list[str]) -> list[str]:
    shown = [str(path) for path in sorted(Path("/").iterdir()) if _is_added(path)]
    binds = [part for path in shown for part in ("--ro-bind-try", path, path)]
    return _replaced(_unmasked(arguments), ["--remount-ro", "/"], [*binds, "--remount-ro", "/"])


def _is_added(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink() and path.name not in OURS


def _unmasked(arguments: list[str]) -> list[str]:
    kept = list(arguments)
    for path in [path for path in _targets(arguments, "--tmpfs") if path.endswith("-packages")]:
        kept = _replaced(kept, ["--tmpfs", path, "--remount-ro", path], [])
    return kept


def _writable(arguments: list[str]) -> list[str]:
    kept = [part.replace("--ro-bind", "--bind") for part in arguments]
    for path in _targets(arguments, "--remount-ro"):
        kept = _replaced(kept, ["--remount-ro", path], [])
    return kept


def _targets(arguments: list[str], option: str) -> list[str]:
    return [arguments[at + 1] for at, part in enumerate(arguments) if part == option]


def _replaced(arguments: list[str], old: list[str], new: list[str]) -> list[str]:
    for at in range(len(arguments)):
        if arguments[at : at + len(old)] == old:
            return [*arguments[:at], *new, *arguments[at + len(old) :]]
    return arguments
