"""The library Ray, which is an extra."""

import os
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from hyperspace.executor.errors import ExecutorUnavailable
from markspace.extras import how_to_install

_SETTINGS: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",  # tells nobody who runs what
    "RAY_raylet_start_wait_time_s": "300",  # a busy machine takes its time
    "RAY_DEDUP_LOGS": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # its new behaviour, of which it would warn
}


_AUTH_MODE: Final = "RAY_AUTH_MODE"
_TOKENS: Final = ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")


def library(*, own: bool = False) -> Any:
    """Return the module `ray`.

    Args:
        own: Whether a cluster of this process is to be started, which nobody without its token
            may use; one that runs is asked with the token that there is.

    Raises:
        ExecutorUnavailable: It is not installed.
    """
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)  # read when it is imported
    if own or _has_token():
        os.environ.setdefault(_AUTH_MODE, "token")
    try:
        return import_module("ray")
    except ImportError as error:
        raise ExecutorUnavailable(
            f"a cluster needs Ray ({error}); {how_to_install('ray')}; what is played on this "
            "machine alone, without --executor, needs none"
        ) from error


def submodule(name: str) -> Any:
    """Return a module of Ray, once `library` has returned."""
    return import_module(f"ray.{name}")


def _has_token() -> bool:
    file = Path(os.environ.get("HOME", "/")) / ".ray" / "auth_token"
    return file.is_file() or any(os.environ.get(name) for name in _TOKENS)
