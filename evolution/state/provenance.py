"""Versions for run_config.json: what a person needs to cite a run."""

import os
import platform
import re
import subprocess
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from markspace.extras import DISTRIBUTION

_NAME = re.compile(r"[A-Za-z0-9._-]+")


def versions() -> dict[str, str]:
    """Versions of this program, its commit if it is a checkout, Python and our packages."""
    named = {"hyperspace": _version(DISTRIBUTION), "commit": _commit()}
    named["python"] = platform.python_version()
    named["platform"] = platform.platform()
    named.update({name: _version(name) for name in _dependencies()})
    return named


def _dependencies() -> list[str]:
    """Names of what we depend on, extras left out."""
    try:
        wanted = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        return []
    needed = (line for line in wanted if "extra ==" not in line)
    return sorted(match.group() for line in needed if (match := _NAME.match(line)))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _commit() -> str:
    """The checkout's commit, marked `+changes` when files differ from it; empty without git."""
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return ""
    try:
        commit = _git(root, "rev-parse", "HEAD")
        return commit + ("+changes" if _git(root, "status", "--porcelain") else "")
    except (OSError, subprocess.SubprocessError):
        return ""


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=10,
        # A checkout's configuration may start programs, and our environment may hold keys.
        env={name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
    )
    return done.stdout.strip()
