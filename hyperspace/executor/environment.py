"""The environment of workers: what programs need, and nothing of whoever started them.

Workers inherit the environment of the process that started their cluster, and keys of providers are
in the environment of coordinators.
"""

import os
from collections.abc import Mapping
from typing import Final

from hyperspace.models.providers import PROVIDERS

_ALLOWED: Final = frozenset(
    (
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "LD_LIBRARY_PATH"),
        *("LANG", "LC_ALL", "LC_CTYPE", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "VIRTUAL_ENV"),
        *("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "CUDA_VISIBLE_DEVICES"),
    )
)
_OF_RAY: Final = "RAY_"
_SECRETS: Final = ("PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "HF_TOKEN", "GITHUB_TOKEN")


def scrubbed(env: Mapping[str, str]) -> dict[str, str]:
    """Return what of an environment a worker may have; the settings of Ray are among it."""
    return {name: env[name] for name in env if name in _ALLOWED or name.startswith(_OF_RAY)}


def for_commands(env: Mapping[str, str], private: str) -> dict[str, str]:
    """Return the environment of a job's commands on a worker.

    Args:
        env: The worker's.
        private: Folder for what a program keeps for its user; defaults of a person count nowhere.
    """
    xdg = {f"XDG_{name}_HOME": f"{private}/{name.lower()}" for name in ("STATE", "CONFIG", "CACHE")}
    allowed = {name: env[name] for name in env if name in _ALLOWED}
    return allowed | xdg | {"XDG_RUNTIME_DIR": f"{private}/runtime"}


def secrets_in(env: Mapping[str, str]) -> list[str]:
    """Return the names of variables that hold keys or passwords; never their values."""
    keys = {name for provider in PROVIDERS for name in provider.key_variables}
    return sorted(name for name in env if env[name] and name in keys.union(_SECRETS))


def scrub_own() -> dict[str, str]:
    """Take out of this process's environment what workers may not have; returns what was there."""
    before = dict(os.environ)
    allowed = scrubbed(before)
    for name in before:
        if name not in allowed:
            del os.environ[name]
    return before
