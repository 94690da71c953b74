"""Modes of content policies: what is done about findings, defaults, and NAME=MODE."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal, get_args

Mode = Literal["flag", "rewrite", "reject", "off"]
MODES: tuple[Mode, ...] = get_args(Mode)
DEFAULTS: Mapping[str, Mode] = MappingProxyType(
    {
        "secrets": "reject",
        "growth": "flag",
        "stop_signals": "flag",
        "score_claims": "flag",
        "peer_instructions": "flag",
    }
)
NOT_REWRITABLE = frozenset({"growth"})  # it is about code, and code is never rewritten


def parse_mode(text: str) -> tuple[str, Mode]:
    """Read NAME=MODE.

    Raises:
        ValueError: There is no such policy or mode; says what exists.
    """
    name, _, chosen = text.partition("=")
    if name not in DEFAULTS:
        raise ValueError(f"no content policy {name!r}; there are: {', '.join(DEFAULTS)}")
    modes: list[Mode] = [m for m in MODES if m != "rewrite" or name not in NOT_REWRITABLE]
    for mode in modes:
        if mode == chosen:
            return name, mode
    raise ValueError(f"{name}={chosen}: the modes of {name} are {', '.join(modes)}")


def all_modes(chosen: Iterable[tuple[str, Mode]] = ()) -> dict[str, Mode]:
    """The mode of every policy: as chosen, else the default; the last choice wins."""
    return {**DEFAULTS, **dict(chosen)}
