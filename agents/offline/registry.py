"""Finds an offline policy by name and checks its options."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from agents.models.base import UnknownModel
from agents.offline.base import Policy
from agents.offline.grader import Grader
from agents.offline.magpie import Magpie
from agents.offline.tinker import Tinker


class Option(NamedTuple):
    """A number that a policy takes.

    Attributes:
        kind: int or float.
        low: Smallest value.
        high: Largest value.
    """

    kind: type[int] | type[float]
    low: float
    high: float


class Entry(NamedTuple):
    """One policy: how to make it, what it takes, and one line about it."""

    make: Callable[..., Policy]
    options: Mapping[str, Option]
    about: str


_SEARCH = {
    "trials": Option(int, 0, 1000),
    "spread": Option(float, 0.0, 2.0),
    "share": Option(float, 0.0, 1.0),
}
_POLICIES: Mapping[str, Entry] = {
    "tinker": Entry(Tinker, _SEARCH, "searches on its own, does not look at peers"),
    "magpie": Entry(Magpie, _SEARCH, "adopts what a peer does better, else searches a little"),
    "grader": Entry(Grader, {}, "an evaluation model: picks a label by a simple text heuristic"),
}


def get(name: str, options: Mapping[str, str]) -> Policy:
    """Make a policy.

    Raises:
        UnknownModel: There is no such policy or option, or a value does not fit.
    """
    entry = _POLICIES.get(name)
    if entry is None:
        raise UnknownModel(
            f"no offline policy is called {name!r}; there are {', '.join(_POLICIES)}"
        )
    return entry.make(**{key: _value(name, entry, key, text) for key, text in options.items()})


def names() -> dict[str, str]:
    """Every policy with one line about it."""
    return {name: entry.about for name, entry in _POLICIES.items()}


def _value(name: str, entry: Entry, key: str, text: str) -> int | float:
    option = entry.options.get(key)
    if option is None:
        exist = ", ".join(entry.options) or "none"
        raise UnknownModel(f"offline/{name} has no option {key!r}; options: {exist}")
    try:
        value = option.kind(text)
    except ValueError:
        value = None
    if value is None or not option.low <= value <= option.high:
        raise UnknownModel(
            f"offline/{name}: {key} is {text!r}; it must be a number of type "
            f"{option.kind.__name__} from {option.low:g} to {option.high:g}"
        )
    return value
