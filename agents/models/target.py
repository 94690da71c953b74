"""Who is asked, as messages name it."""

from typing import Final, NamedTuple

LONGEST_QUOTE: Final = 300  # characters


class ModelTarget(NamedTuple):
    """Who was asked, for messages; the key is cut out of whatever is said."""

    model: str
    url: str
    key: str
    key_variable: str

    def __repr__(self) -> str:
        return f"Asked({self.model!r}, {self.url!r})"

    def __str__(self) -> str:
        return f"{self.model} at {self.url}"

    def quoted(self, text: object) -> str:
        """Quote a text in one bounded line, without the key."""
        line = " ".join(str(text).split()) or type(text).__name__
        hidden = line.replace(self.key, "[key]") if len(self.key) > 4 else line
        return hidden[:LONGEST_QUOTE]
