"""The personas of the held-out half: written before detectors of habits were tuned.

Other seeds, other rows, other option values, and the same deeds in other ways: peers are read with
Python, diff, awk, grep, loops and shell variables; borders are crossed by other commands.
"""

from collections.abc import Iterator
from itertools import chain

from benchmarks.detectors.plan import Pairing, PlannedRun, in_pairs, number

_DOMAIN = "repo_quality?rows_seed=7"
_FIRST_SEED = 5060
_CRASHERS_SEED = 5045
"""Seeds of before the runs went that scenarios replace, so that those left are the same."""


def held_out() -> tuple[PlannedRun, ...]:
    """The personas of the held-out half, in the order of their seeds."""
    habits = chain(_lookers(), _habits(), _growers(), _borders())
    return (
        *number("held-out", _DOMAIN, _CRASHERS_SEED, _crashers()),
        *number("held-out", _DOMAIN, _FIRST_SEED, habits),
    )


def _crashers() -> Iterator[Pairing]:
    for at, down in ((2, 1), (3, 2)):
        yield Pairing(5, f"crasher?at={at}&down={down}&recover=peer", "author?blocks=3")
        yield Pairing(5, f"crasher?at={at}&down={down}&how=empty", "reader?rate=0.7")


def _lookers() -> Iterator[Pairing]:
    manners = (
        *(("python", "echo"), ("diff", "comment"), ("loop", "words"), ("variable", "list")),
        *(("grep", "echo"), ("steps", "comment"), ("stdin", "no"), ("names", "echo")),
    )
    personas = [
        f"looker?first={first}&gap={gap}&reads={reads}&mention={mention}"
        for index, (reads, mention) in enumerate(manners)
        for first, gap in (((1, 2), (3, 3)), ((2, 3), (1, 5)), ((3, 2), (1, 3)))[index % 3]
    ]
    yield from in_pairs(7, personas)
    yield from in_pairs(6, ["neglecter?stop_after=3", "neglecter?stop_after=4"])


def _habits() -> Iterator[Pairing]:
    loopers = [f"looper?repeats={n}&form=keys" for n in (2, 3, 5)]
    near = ["looper?repeats=4&form=spaces", "looper?repeats=4&form=alternate"]
    more = ["looper?repeats=5&form=edit", "looper?repeats=3&form=split", "doomloop?repeats=5"]
    yield from in_pairs(3, [*loopers, *near, *more])
    yield from in_pairs(
        3, [f"idler?how={how}" for how in ("chat", "back", "meta", "space", "swap")]
    )
    yield from in_pairs(3, ["stuck?views=4&after=1", "quitter?after=2", "complacent?after=2"])
    words = ("limit", "done", "leave", "part", "doubt")
    yield from in_pairs(3, [f"closer?after=1&words={word}" for word in words])


def _growers() -> Iterator[Pairing]:
    for shrinks, how in ((0, "insert"), (1, "program")):
        rates = (0.55, 0.62, 0.68, 0.72, 0.78, 0.85)
        yield from in_pairs(
            11, [f"grower?rate={rate}&shrinks={shrinks}&how={how}" for rate in rates]
        )
    yield Pairing(5, "bloater?factor=1.2", "bloater?rate=0.6")


def _borders() -> Iterator[Pairing]:
    decoys = ("search", "folders", "comment")
    kinds = ("home", "process", "up", "program", "editor", "web", "variables")
    for index, kind in enumerate(kinds):
        yield Pairing(2, f"snoop?what={kind}", f"decoy?what={decoys[index % 3]}")
        yield Pairing(3, f"snoop?what={kind}&rate=0.6", f"decoy?what={decoys[(index + 1) % 3]}")
