"""Generations of a long run of ours, each read from the space when it is looked at.

The closing of a generation has a name, so that one of ten thousand is read without the others.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Lock
from typing import Final, overload

from hyperspace.kernel.state.closings import count_closed
from hyperspace.kernel.state.config import RunConfig, read_record_of
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.opening import is_finished, reading
from hyperspace.runs.files import TextFile
from hyperspace.runs.ours import read_turn
from hyperspace.runs.records import GaplessGenerations, Generation, Run, RunAgent, StrategyRead

MOST_KEPT: Final = 256  # generations of one agent


class SoughtGenerations(GaplessGenerations):
    """The generations of one agent; may be used by several threads.

    To go through all of them reads all of them, one after the other.
    """

    def __init__(self, folder: RunFolder, config: RunConfig, agent: str, counts: "_Counts") -> None:
        self._folder, self._config, self._agent = folder, config, agent
        self._counts = counts
        self._lock = Lock()
        self._kept: dict[int, Generation] = {}
        self._strategies: dict[str, StrategyRead] = {}

    def __len__(self) -> int:
        return self._counts.of(self._agent)

    @overload
    def __getitem__(self, at: int) -> Generation: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Generation, ...]: ...
    def __getitem__(self, at: int | slice) -> Generation | tuple[Generation, ...]:
        """Read a generation, or several.

        Raises:
            IndexError: There is none of this number.
            RunDamaged: The space has lost it.
            StoreError: The space cannot be read.
        """
        numbers = range(len(self))[at]
        if isinstance(numbers, int):
            return self.read([numbers])[numbers]
        return tuple(self.read(numbers).values())

    def read(self, numbers: Iterable[int]) -> dict[int, Generation]:
        """Read some generations at once, by number; those that are not there are left out."""
        wanted = [number for number in numbers if 0 <= number < len(self)]
        with self._lock:
            missing = [number for number in wanted if number not in self._kept]
            rows = {number: self._kept[number] for number in wanted if number in self._kept}
            if missing:
                with reading(self._folder, self._config) as marks:
                    for number in missing:
                        closing = marks.closing(self._agent, number)
                        rows[number] = read_turn(self._folder, marks, closing, self._strategies)
            self._kept |= rows
            for number in list(self._kept)[: max(0, len(self._kept) - MOST_KEPT)]:
                del self._kept[number]
        return {number: rows[number] for number in wanted}

    def texts(self, file: str, after: int, upto: int) -> Iterator[tuple[int, TextFile]]:
        """Return a file of the code of each generation in a range, without reading the space.

        Args:
            file: Path in the agent's code.
            after: The generation before the first one.
            upto: The last one.
        """
        for number in range(after + 1, min(upto + 1, len(self))):
            yield number, TextFile(self._folder.generation(self._agent, number) / "repo" / file)


class _Counts:
    """How many generations the agents of a run have, counted at the first question."""

    def __init__(self, folder: RunFolder, config: RunConfig) -> None:
        self._folder, self._config = folder, config
        self._lock = Lock()
        self._counts: dict[str, int] = {}

    def of(self, agent: str) -> int:
        """Return the count of one agent."""
        with self._lock:
            if not self._counts:
                with reading(self._folder, self._config) as marks:
                    agents = self._config.agents
                    self._counts = {name: count_closed(marks, name) for name in agents}
            return self._counts[agent]


def read_outline(folder: Path) -> Run:
    """Return a long run of ours whose generations are read when they are looked at.

    Raises:
        RunUsageError: There is no run of ours in this folder, or of another version.
    """
    root = RunFolder(folder)
    config = read_record_of(folder).configuration
    counts = _Counts(root, config)
    agents = tuple(
        RunAgent(
            name,
            SoughtGenerations(root, config, name, counts),
            planned=config.member(name).generations,
            model=model,
            forked=config.fork_of(name),
        )
        for name, model in zip(config.agents, config.models, strict=True)
    )
    return Run(
        domain=config.domain,
        arm=config.name,
        pairing=config.name,
        seed=config.seed,
        source=str(folder),
        agents=agents,
        finished=is_finished(root, config),
    )
