"""Options of offline policies: what each takes, and how it is read from a model's name."""

from collections.abc import Mapping
from typing import NamedTuple

from agents.models.base import UnknownModel


class NumberOption(NamedTuple):
    """A number that a policy takes.

    Attributes:
        kind: int or float.
        low: Smallest value.
        high: Largest value.
    """

    kind: type[int] | type[float]
    low: float
    high: float

    def read(self, text: str) -> int | float | None:
        """The value; None if it does not fit."""
        try:
            value = self.kind(text)
        except ValueError:
            return None
        return value if self.low <= value <= self.high else None

    def __str__(self) -> str:
        return f"a number of type {self.kind.__name__} from {self.low:.15g} to {self.high:.15g}"


class WordOption(NamedTuple):
    """A word that a policy takes.

    Attributes:
        words: The words there are.
    """

    words: tuple[str, ...]

    def read(self, text: str) -> str | None:
        """The value; None if it does not fit."""
        return text if text in self.words else None

    def __str__(self) -> str:
        return f"one of {', '.join(self.words)}"


Option = NumberOption | WordOption


def read_options(
    policy: str, options: Mapping[str, Option], given: Mapping[str, str]
) -> dict[str, int | float | str]:
    """Read the options of one policy.

    Raises:
        UnknownModel: There is no such option, or a value does not fit; says what exists.
    """
    values: dict[str, int | float | str] = {}
    for key, text in given.items():
        option = options.get(key)
        if option is None:
            exist = ", ".join(options) or "none"
            raise UnknownModel(f"offline/{policy} has no option {key!r}; options: {exist}")
        value = option.read(text)
        if value is None:
            raise UnknownModel(f"offline/{policy}: {key} is {text!r}; it must be {option}")
        values[key] = value
    return values
