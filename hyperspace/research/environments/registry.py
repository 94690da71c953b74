"""Environments by name: those that come along, and folders of people."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from hyperspace.research.environments.description import CONFIG, read_description
from hyperspace.research.environments.repository import Environment, read_environment
from hyperspace.research.errors import EnvironmentUnusable

_HERE: Final = Path(__file__).parent


def names() -> list[str]:
    """Return the environments that come along."""
    return sorted(path.parent.name for path in _HERE.glob(f"*/{CONFIG}"))


def find_environment(
    name: str,
    config: Path | None = None,
    scale: str | None = None,
    data: Mapping[str, Path] = MappingProxyType({}),
) -> Environment:
    """Find an environment and read it whole.

    Args:
        name: One that comes along, or the path of a folder, which has a slash if it is of that
            name, too.
        config: Its env.toml, where that lies elsewhere.
        scale: Which of its scales is meant; None for the environment as it is.
        data: A person's folders that its jobs read, by name.

    Raises:
        EnvironmentUnusable: There is none, or it cannot be used.
    """
    if name in names():
        if config is not None:
            raise EnvironmentUnusable(
                f"--env-config is said of a repository of your own, and {name} comes along; "
                f"name a folder with --env ./{name}, or leave --env-config out"
            )
        return read_environment(read_description(_HERE / name, None, scale), data)
    if not Path(name).exists():
        raise EnvironmentUnusable(
            f"there is no environment {name!r} and no folder of that name; those that come along: "
            f"{', '.join(names())}"
        )
    return read_environment(read_description(Path(name), config, scale), data)
