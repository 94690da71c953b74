"""Executors by name, as people write them."""

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from hyperspace.executor.resources import Resources

LOCAL: Final = "local"
RAY: Final = "ray"
AUTO: Final = "ray://auto"  # the cluster of this machine
NAMES: Final = "local, ray, and ray://HOST:PORT or ray://auto for a cluster that runs"
_ADDRESS: Final = re.compile(r"ray://([\w.-]+|\[[\da-fA-F:]+\]):(\d{1,5})")
_LAST_PORT: Final = 65_535
_GIGABYTE: Final = 1e9


def is_executor(text: str) -> bool:
    """Return whether a text names an executor."""
    if text in (LOCAL, RAY, AUTO):
        return True
    address = _ADDRESS.fullmatch(text)
    return address is not None and 0 < int(address[2]) <= _LAST_PORT


def parse_resources(text: str) -> "Resources":
    """Parse what a slot holds, such as `cpus=2,gpus=1,memory_gb=8`.

    Raises:
        ValueError: It says something else.
    """
    defaults, named = {"cpus": 1.0, "gpus": 0.0, "memory_gb": 0.0}, dict[str, float]()
    for part in text.split(","):
        name, _, number = part.partition("=")
        if name not in defaults or not re.fullmatch(r"\d{1,6}(\.\d{1,3})?", number):
            raise ValueError(f"{part!r} is no part of a slot; write cpus=N,gpus=N,memory_gb=N")
        if name in named:
            raise ValueError(f"{name} is named twice; name it once")
        named[name] = float(number)
    amounts = defaults | named
    if not amounts["cpus"]:
        raise ValueError("a slot has some part of a core; name cpus above 0")
    from hyperspace.executor.resources import Resources  # with msgspec, which no --help needs

    return Resources(amounts["cpus"], amounts["gpus"], int(amounts["memory_gb"] * _GIGABYTE))
