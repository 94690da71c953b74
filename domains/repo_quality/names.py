"""Invented repository names that say nothing about quality."""

import random

_FIRST = (
    "amber", "birch", "cedar", "cobalt", "copper", "coral", "delta", "ember", "fern", "flint",
    "harbor", "hazel", "indigo", "ivory", "juniper", "lunar", "maple", "meadow", "nimbus", "ochre",
    "onyx", "opal", "pebble", "quartz", "raven", "saffron", "sierra", "tidal", "umber", "willow",
)  # fmt: skip
_SECOND = (
    "atlas", "beacon", "bridge", "cache", "canvas", "compass", "courier", "engine", "forge", "gate",
    "harvest", "index", "kernel", "lantern", "ledger", "loom", "mesh", "mill", "orchard", "parser",
    "pilot", "queue", "relay", "router", "scribe", "signal", "sketch", "socket", "tracker", "vault",
)  # fmt: skip


def draw_names(rng: random.Random, count: int) -> list[str]:
    """Draw distinct two-word names; at most 900 exist."""
    every = [f"{first}-{second}" for first in _FIRST for second in _SECOND]
    return rng.sample(every, count)
