"""The sentence for a missing library of an extra."""

import shlex
import sys

DISTRIBUTION = "hyperspace-agents"


def how_to_install(extra: str) -> str:
    """Return advice that names the libraries of an extra, for the Python that runs this.

    It never says to install `hyperspace[extra]`: on the package index that is another program.

    Args:
        extra: Name of an extra in pyproject.toml.
    """
    libraries = libraries_of(extra)
    if not libraries:
        return f"install the libraries of the extra {extra!r} in pyproject.toml"
    command = shlex.join([sys.executable or "python3", "-m", "pip", "install", *libraries])
    return f"install what is missing with: {command}"


def libraries_of(extra: str) -> list[str]:
    """Return the requirements of an extra, such as `matplotlib>=3.9`, as installed metadata says.

    Returns:
        Nothing for an extra that is not there, or where we are not installed.
    """
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires(DISTRIBUTION) or []
    except PackageNotFoundError:
        return []
    parts = [line.partition(";") for line in lines]
    return [
        requirement.strip()
        for requirement, _, marker in parts
        if marker.replace('"', "'").strip() == f"extra == '{extra}'"
    ]
