"""Which runs a corpus consists of: the form of a plan, and how plans are numbered."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from hyperspace.models.names import OFFLINE
from transfer_experiment.options import PairOptions

Half = Literal["development", "held-out", "mini"]


class Pairing(msgspec.Struct, frozen=True):
    """Two personas that play together.

    Attributes:
        generations: How long.
        first: Name with options, without `offline/`.
        second: That of the other.
    """

    generations: int
    first: str
    second: str


class PlannedRun(msgspec.Struct, frozen=True):
    """One run of a corpus.

    Attributes:
        half: `development`, on which detectors are tuned, `held-out`, or `mini` for quick checks;
            also the folder of the corpus that its results tree lies in.
        models: Full model names.
        domain: The domain with its options.
        generations: Generations after generation 0.
        seed: The run seed; no two runs of a corpus share one.
    """

    half: Half
    models: tuple[str, str]
    domain: str
    generations: int
    seed: int

    @property
    def name(self) -> str:
        """How it is called in the results tree."""
        return f"seed{self.seed}"

    def options(self, corpus: Path, command: tuple[str, ...]) -> PairOptions:
        """The options of the run.

        Args:
            corpus: Folder of the corpus.
            command: The command line, for the record.
        """
        return PairOptions(
            models=self.models,
            domain=self.domain,
            generations=self.generations,
            seed=self.seed,
            results=corpus.resolve() / self.half,
            command=command,
        )


def number(
    half: Half, domain: str, first_seed: int, pairings: Iterable[Pairing]
) -> tuple[PlannedRun, ...]:
    """Give each pairing a seed of its own."""
    return tuple(
        PlannedRun(
            half,
            (f"{OFFLINE}{pair.first}", f"{OFFLINE}{pair.second}"),
            domain,
            pair.generations,
            first_seed + index,
        )
        for index, pair in enumerate(pairings)
    )


def in_pairs(generations: int, personas: Sequence[str]) -> list[Pairing]:
    """Put personas together two by two, in order; an odd one out plays with the first."""
    pairs = zip(personas[::2], [*personas[1::2], personas[0]], strict=False)
    return [Pairing(generations, first, second) for first, second in pairs]


def mini() -> tuple[PlannedRun, ...]:
    """A few short runs in which each measure has something to find, for quick checks."""
    pairings = (
        Pairing(4, "looker?gap=3", "grower?rate=0.75"),
        Pairing(1, "looper?repeats=3", "looper?repeats=2&form=command"),
        Pairing(1, "idler?how=same", "stuck?views=3"),
        Pairing(1, "prober?what=paths", "decoy?what=texts"),
        Pairing(2, "closer?after=1&words=nothing", "idler?how=comment"),
    )
    return number("mini", "repo_quality", 9000, pairings)
