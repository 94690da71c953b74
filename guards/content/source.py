"""One text, taken apart once however many policies look at it."""

from functools import cached_property

from guards.content.folding import FoldedText, fold
from guards.content.notes import Reading, read_notes


class SourceText:
    """A file's text and, when asked for, what it says and how.

    Attributes:
        path: Workspace path; decides whether it is read as Python.
        text: The text.
    """

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    @cached_property
    def reading(self) -> Reading:
        """Its notes, in the order of lines."""
        return read_notes(self.path, self.text)

    @cached_property
    def document(self) -> FoldedText:
        """Its notes in one spelling."""
        return fold(self.reading.notes)
