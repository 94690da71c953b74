"""Names of NetHack's keys, and what a name presses."""

from collections.abc import Sequence
from typing import NamedTuple

_COMPASS = {
    "N": "north",
    "E": "east",
    "S": "south",
    "W": "west",
    "NE": "northeast",
    "SE": "southeast",
    "SW": "southwest",
    "NW": "northwest",
}
_ENDS = ("quit", "save", "shell", "redraw")  # keys that end or leave a game, and no move in it


class Key(NamedTuple):
    """A key that an environment knows.

    Attributes:
        name: As the library has it, such as `N` or `PICKUP`.
        code: Of the character.
    """

    name: str
    code: int


def presses(keys: Sequence[Key], *, typed: bool) -> dict[str, tuple[int, ...]]:
    """Return what each action presses, as indices of keys.

    A direction is `north`, its way until something is in the way `far north`; what else there is
    has the library's name in small letters.

    Args:
        keys: Those of the environment, in its order.
        typed: Letters, digits and numbers of two digits are actions too.
    """
    kept = [(index, key) for index, key in enumerate(keys) if key.name.lower() not in _ENDS]
    actions: dict[str, tuple[int, ...]] = {}
    for index, key in kept:
        name = key.name.lower()
        if word := _COMPASS.get(key.name):
            name = f"far {word}" if chr(key.code).isupper() else word
        actions.setdefault(name, (index,))
    if typed:
        codes = {chr(key.code): index for index, key in kept if 32 < key.code < 127}
        characters = {text: index for text, index in codes.items() if text.isalnum()}
        actions |= {text: (index,) for text, index in characters.items()}
        digits = {text: index for text, index in characters.items() if text.isdigit()}
        actions |= {a + b: (digits[a], digits[b]) for a in digits for b in digits}
    return actions
