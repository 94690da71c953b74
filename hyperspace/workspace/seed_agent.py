"""Seed agents by name: the meta agent that an agent starts with."""

import re
from typing import Final, NamedTuple

PUBLISHED: Final = "published"
SHOWN: Final = "shown"
SEED_AGENTS: Final = (PUBLISHED, "informed", SHOWN)
_FORMS: Final = ("auto", "tools", "block")
_MOST_TRIES: Final = 20


class SeedAgent(NamedTuple):
    """A seed agent with its options, which are those of `shown` alone.

    Attributes:
        name: One of `SEED_AGENTS`.
        form: How its model answers: by `tools`, in a `block` of code, or `auto`.
        tries: Answers a generation in the form of blocks, of which the best on train is kept.
    """

    name: str
    form: str = "auto"
    tries: int = 3

    def __str__(self) -> str:
        told = [f"{key}={value}" for key, value in (("form", self.form), ("tries", self.tries))]
        unlike = [one for one in told if one not in ("form=auto", "tries=3")]
        return f"{self.name}?{'&'.join(unlike)}" if unlike else self.name

    @property
    def slug(self) -> str:
        """Its name as part of a folder's name."""
        return re.sub(r"[^A-Za-z0-9]+", "-", str(self))


def read_seed_agent(text: str) -> SeedAgent:
    """Read `NAME`, or `shown?form=block&tries=5`.

    Raises:
        ValueError: There is no such seed agent or option, or a value does not fit.
    """
    name, _, query = text.partition("?")
    if name not in SEED_AGENTS:
        raise ValueError(f"no seed agent is called {name!r}; there are {', '.join(SEED_AGENTS)}")
    pairs = (part.partition("=") for part in query.split("&") if part)
    given = {key: value for key, _, value in pairs}
    if given and name != SHOWN:
        raise ValueError(f"seed agent {name} has no options; {SHOWN} has form and tries")
    if unknown := [key for key in given if key not in ("form", "tries")]:
        raise ValueError(f"seed agent {name} has no option {unknown[0]!r}; it has form and tries")
    form, tries = given.get("form", "auto"), given.get("tries", "3")
    if form not in _FORMS:
        raise ValueError(f"form={form}: it is one of {', '.join(_FORMS)}")
    if not re.fullmatch(r"[1-9]\d?", tries) or int(tries) > _MOST_TRIES:
        raise ValueError(f"tries={tries}: it is a number from 1 to {_MOST_TRIES}")
    return SeedAgent(name, form, int(tries))


def seed_agent_text(text: str) -> str:
    """A seed agent as it is recorded, whatever order its options were given in.

    Raises:
        ValueError: See `read_seed_agent`.
    """
    return str(read_seed_agent(text))
