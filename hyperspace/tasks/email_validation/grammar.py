"""Derives valid addresses from the grammar; knows nothing of the rules of `oracle`."""

import random
from collections.abc import Callable
from typing import NamedTuple

WORDS = (
    "amber", "anna", "basil", "billing", "carlos", "cedar", "delta", "dora", "ember", "fern",
    "greta", "harbor", "hello", "info", "ivan", "jonas", "kelp", "lena", "lunar", "maple", "mira",
    "nadia", "news", "office", "opal", "otto", "pebble", "post", "quartz", "raven", "sales",
    "sigrid", "support", "tidal", "team", "umber", "vera", "willow", "yuri", "zoe",
)  # fmt: skip
TOPS = ("com", "org", "net", "edu", "io", "dev", "museum", "info", "co", "example", "uk", "fr")
SPECIALS = "!#$%&'*+-/=?^_`{|}~"
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Parts(NamedTuple):
    """An address as it is derived: its local part, and its labels or its literal.

    Attributes:
        local: Text before the @.
        labels: Labels of the name; none if the address has a literal.
        literal: Text within the brackets; empty if there is a name.
    """

    local: str
    labels: tuple[str, ...] = ()
    literal: str = ""

    def text(self) -> str:
        """Return the address."""
        domain = f"[{self.literal}]" if self.literal else ".".join(self.labels)
        return f"{self.local}@{domain}"


def derive(rng: random.Random) -> Parts:
    """Draw a valid address."""
    local = rng.choices(_LOCALS, _LOCAL_WEIGHTS)[0](rng)
    if rng.random() < 0.14:
        return Parts(local, literal=rng.choice((ipv4, ipv4, ipv6))(rng))
    return Parts(local, labels=name(rng))


def name(rng: random.Random) -> tuple[str, ...]:
    """Draw the labels of a domain name."""
    labels = [rng.choices(_LABELS, _LABEL_WEIGHTS)[0](rng) for _ in range(rng.choice((1, 1, 2, 3)))]
    return (*labels, rng.choice(TOPS))


def letters(rng: random.Random, low: int, high: int) -> str:
    """Draw so many letters."""
    return "".join(rng.choice(LETTERS) for _ in range(rng.randint(low, high)))


def quoted(rng: random.Random) -> str:
    """Draw a quoted local part."""
    inside = rng.choice(_QUOTED)
    return '"' + inside.format(rng.choice(WORDS), rng.choice(WORDS)) + '"'


def ipv4(rng: random.Random) -> str:
    """Draw the inside of an IPv4 literal."""
    return ".".join(str(rng.randint(0, 255)) for _ in range(4))


def ipv6(rng: random.Random) -> str:
    """Draw the inside of an IPv6 literal, whole or shortened once."""
    groups = [f"{rng.randint(0, 65535):x}" for _ in range(8)]
    if rng.random() < 0.6:
        cut = rng.randint(0, 5)
        rest = groups[cut + 2 :]
        return f"IPv6:{':'.join(groups[:cut])}::{':'.join(rest)}"
    return "IPv6:" + ":".join(groups)


def _plain(rng: random.Random) -> str:
    return rng.choice(WORDS) + rng.choice(("", "", str(rng.randint(1, 99))))


def _dotted(rng: random.Random) -> str:
    return ".".join(rng.choice(WORDS) for _ in range(rng.randint(2, 3)))


def _tagged(rng: random.Random) -> str:
    return f"{rng.choice(WORDS)}+{rng.choice(WORDS)}"


def _special(rng: random.Random) -> str:
    return rng.choice(WORDS) + rng.choice(SPECIALS) + letters(rng, 0, 3) + rng.choice(SPECIALS)


def _short(rng: random.Random) -> str:
    return letters(rng, 1, 1)


def _long(rng: random.Random) -> str:
    return letters(rng, 50, 64)


def _hyphenated(rng: random.Random) -> str:
    return f"{rng.choice(WORDS)}-{rng.choice(('', '-'))}{rng.choice(WORDS)}"


def _digits(rng: random.Random) -> str:
    return str(rng.randint(0, 99999))


def _long_label(rng: random.Random) -> str:
    return letters(rng, 50, 63)


_QUOTED = ("{} {}", "{}@{}", "{}..{}", '{}\\"{}', "{},{}", "{}.{}", ".{}{}", "{}\\\\{}")
_Draw = Callable[[random.Random], str]
_LOCALS: tuple[_Draw, ...] = (_plain, _dotted, _tagged, _special, _short, _long, quoted)
_LOCAL_WEIGHTS = (5, 4, 3, 2, 1, 1, 3)
_LABELS: tuple[_Draw, ...] = (_plain, _hyphenated, _digits, _short, _long_label)
_LABEL_WEIGHTS = (8, 3, 1, 1, 1)
