"""What can go wrong with research environments.

Errors::

    EnvironmentUnusable        an env.toml, its repository or its evaluation cannot be used (a
                               `RunUsageError`, exit code 2); the message says what to do
    DiffRefused                a diff does not apply or does not pass the gates: data, never a crash
"""

from hyperspace.kernel.errors import RunUsageError


class EnvironmentUnusable(RunUsageError):
    """An env.toml, its repository or its evaluation cannot be used."""


class DiffRefused(Exception):
    """A diff does not apply, or does not pass the gates.

    Attributes:
        gate: Which one: `apply`, `frozen`, `links`, `types`, `size` or `duplicate`.
    """

    def __init__(self, gate: str, why: str) -> None:
        super().__init__(why)
        self.gate = gate
