"""The file of what servers near a run said that they run, a line for each change."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from hyperspace.kernel.state.line_records import append_line, read_lines
from hyperspace.models.base import Model
from hyperspace.models.local_server import ServerFacts


class ServedModel(msgspec.Struct, frozen=True):
    """What a server said of a model.

    Attributes:
        model: The model's name, as the person wrote it.
        facts: What was said.
    """

    model: str
    facts: ServerFacts

    def text(self) -> str:
        """Return a line for people."""
        window, has_tools = self.facts.window, self.facts.has_tools
        parts = [
            self.facts.weights or "weights that it does not name",
            f"window {window:,} tokens" if window else "",
            "no tools in its template: calls go in the text" if has_tools is False else "",
        ]
        return f"{self.model} is {', '.join(filter(None, parts))}"


def note_served(path: Path, models: Iterable[Model]) -> Iterator[str]:
    """Put on record what the servers of models say, and return a line for each that is new.

    Raises:
        OSError: It could not be written.
    """
    last = {served.model: served for served in read_lines(path, ServedModel)}
    for model in models:
        served = ServedModel(model.name, getattr(model, "facts", None) or ServerFacts())
        before = last.get(model.name)
        if served == before or served.facts == ServerFacts():
            continue
        append_line(path, served)
        last[model.name] = served
        yield served.text()
        if before is not None and before.facts.weights != served.facts.weights:
            yield (
                f"{model.name} was {before.facts.weights or 'unnamed weights'} before: the scores "
                "from here on are not of the model that this run began with"
            )


def weights_of(path: Path) -> dict[str, tuple[str, ...]]:
    """Return the weights behind each model, in the order in which a run met them."""
    found: dict[str, dict[str, None]] = {}
    for served in read_lines(path, ServedModel):
        if served.facts.weights:
            found.setdefault(served.model, {})[served.facts.weights] = None
    return {model: tuple(weights) for model, weights in sorted(found.items())}
