"""Domains whose environments are packages of an extra."""

from collections.abc import Sequence
from importlib.util import find_spec

from hyperspace.tasks.base import DomainDataError


def require(domain: str, modules: Sequence[str], extra: str) -> None:
    """Check that packages can be imported, without importing them: that is the child's part.

    Args:
        domain: Name of who asks.
        modules: Names to import, each that of the package to install.
        extra: The extra in pyproject.toml that has them.

    Raises:
        DomainDataError: One is missing; the message has the command that installs it.
    """
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        from markspace.extras import how_to_install  # a whole package: good news does without

        raise DomainDataError(f"{domain} needs {', '.join(missing)}: {how_to_install(extra)}")
