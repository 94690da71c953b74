"""Tests of domains whose packages few machines have."""

from importlib.util import find_spec

import pytest


def needs_extra(extra: str, *modules: str) -> list[pytest.MarkDecorator]:
    """Return the marks of a module whose tests need an extra: they skip, with the reason, without.

    Args:
        extra: Its name in pyproject.toml.
        modules: What the tests import of it.
    """
    missing = [module for module in modules if find_spec(module) is None]
    reason = f"{', '.join(missing)} is missing, which the extra {extra} has"
    return [pytest.mark.extras, pytest.mark.skipif(bool(missing), reason=reason)]
