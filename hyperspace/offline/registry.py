"""Finds an offline policy by name and checks its options; a program may `register` its own."""

from collections.abc import Mapping
from difflib import get_close_matches

from hyperspace.models.base import UnknownModel
from hyperspace.models.names import OFFLINE, parse_options, split_name
from hyperspace.offline.catalog import POLICIES, PolicyEntry, read_options
from hyperspace.offline.planned import OfflinePolicy


def register(name: str, entry: PolicyEntry) -> None:
    """Add a policy, for this process alone; one of the same name is replaced."""
    POLICIES[name] = entry


def get(name: str, options: Mapping[str, str]) -> OfflinePolicy:
    """Make a policy.

    Raises:
        UnknownModel: There is no such policy or option, or a value does not fit.
    """
    entry = POLICIES.get(name)
    if entry is None:
        raise UnknownModel(
            f"no offline policy is called {name!r}; the nearest are {', '.join(nearest(name))} "
            "(hyperspace models lists all)"
        )
    return entry.make(**read_options(name, entry.options, options))


def named(name: str) -> OfflinePolicy:
    """Make a policy by its full name, `[offline/]POLICY[?key=value&...]`.

    Raises:
        UnknownModel: As for `get`, or an option is malformed.
    """
    policy, _, options = name.removeprefix(OFFLINE).partition("?")
    return get(policy, parse_options(options, name))


def names() -> dict[str, str]:
    """Every policy with one line about it."""
    return {name: entry.about for name, entry in POLICIES.items()}


def nearest(name: str) -> list[str]:
    """The three policies whose names are most like a name that none has."""
    return get_close_matches(name, POLICIES, n=3, cutoff=0.0)


def is_hostile(model: str) -> bool:
    """True if a model, by its full name, is a policy that tries what it must not.

    Such a policy runs only inside a sandbox that is a boundary.
    """
    if split_name(model).url or not model.startswith(OFFLINE):
        return False
    entry = POLICIES.get(model.removeprefix(OFFLINE).partition("?")[0])
    return entry is not None and entry.hostile
