"""The lines of peers that an agent's own files hold, with the path by which each got in."""

from collections.abc import Callable, Iterator, Mapping, Set
from functools import cache, partial
from typing import Final

from hyperspace.runs.files import META
from transfer_experiment.paths.tracing import CarriedLine, PathFinder
from transfer_experiment.turns.code import SeenStrategy, TurnCode
from transfer_experiment.turns.lines import is_telling, lines_of
from transfer_experiment.turns.texts import SeenText

_MOST_LINES: Final = 200  # of one strategy in one file


class CarriedLines:
    """What own files other than the task agent carry, generation by generation.

    Attributes:
        files: By own file, the lines of peers that it holds.
    """

    def __init__(self) -> None:
        self.files: dict[str, dict[str, CarriedLine]] = {}
        self._texts: Mapping[str, str] = {}

    def take(self, code: TurnCode, finder: PathFinder, own: Set[str]) -> None:
        """Take in a generation's files.

        Args:
            code: The generation.
            finder: Finds its paths.
            own: Lines of earlier task agents: nobody has them from a peer.
        """
        texts = {**code.others, **({} if code.meta is None else {META: code.meta})}
        for path, text in texts.items():
            if self._texts.get(path) == text:
                continue
            kept = dict(self._still_in(path, text))
            # Strategies have most lines in common, which many agents began with.
            holds, find = cache(SeenText(text).holds), cache(partial(finder.find, file=path))
            for strategy in code.seen:
                for line in _held(holds, strategy, own | kept.keys()):
                    found = find(line)
                    if found.strategy == strategy.folder:
                        kept[line] = CarriedLine(strategy, code.generation, found.steps)
            self.files[path] = kept
        for path in self.files.keys() - texts.keys():
            del self.files[path]
        self._texts = texts

    def _still_in(self, path: str, text: str) -> Iterator[tuple[str, CarriedLine]]:
        held = SeenText(text)
        return (row for row in self.files.get(path, {}).items() if held.holds(row[0]))


def _held(holds: Callable[[str], bool], strategy: SeenStrategy, own: Set[str]) -> Iterator[str]:
    """The telling lines of a strategy that a text holds and that are not the agent's own."""
    lines = sorted((lines_of(strategy.text) | lines_of(strategy.meta)) - own)
    telling = filter(is_telling, lines)
    return (line for line, _ in zip(filter(holds, telling), range(_MOST_LINES), strict=False))
