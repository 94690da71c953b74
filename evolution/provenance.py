"""Versions for run_config.json: what a person needs to cite a run."""

import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PACKAGES = ("anyio", "msgspec", "watchfiles", "openai")


def versions() -> dict[str, str]:
    """Versions of this program, its commit if it is a checkout, Python and key packages."""
    found = {"hyperspace": _version("hyperspace"), "commit": _commit()}
    found["python"] = platform.python_version()
    found["platform"] = platform.platform()
    found.update({name: _version(name) for name in _PACKAGES})
    return found


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _commit() -> str:
    """The checkout's commit, marked `+changes` when files differ from it; empty without git."""
    root = Path(__file__).resolve().parents[1]
    if not (root / ".git").exists():
        return ""
    try:
        commit = _git(root, "rev-parse", "HEAD")
        return commit + ("+changes" if _git(root, "status", "--porcelain") else "")
    except (OSError, subprocess.SubprocessError):
        return ""


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True, timeout=10
    )
    return done.stdout.strip()
