"""Where a line came from that a peer has too."""

from typing import Final, NamedTuple

from transfer_experiment.turns.path_step import PathStep


class LinePath(NamedTuple):
    """Where a line came from.

    Attributes:
        strategy: Folder of the strategy that it has a path from; empty if it has none.
        is_known: Whether everything was observed that could have been a path.
        steps: The path.
    """

    strategy: str = ""
    is_known: bool = True
    steps: tuple[PathStep, ...] = ()

    def then(self, *steps: PathStep) -> "LinePath":
        """The same with more steps, if it is a path."""
        return self._replace(steps=self.steps + steps) if self.strategy else self


NO_PATH: Final = LinePath()
NOT_KNOWN: Final = LinePath(is_known=False)
