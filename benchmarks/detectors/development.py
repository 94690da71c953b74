"""The personas of the development half: detectors of habits may be tuned on it.

Adoption is labelled in scenarios (`constructed`), not here.
"""

from collections.abc import Iterator
from itertools import chain

from benchmarks.detectors.plan import Pairing, PlannedRun, in_pairs, number

_DOMAIN = "repo_quality"
_FIRST_SEED = 1061
_CRASHERS_SEED = 1042
"""Seeds of before the runs went that scenarios replace, so that those left are the same."""


def development() -> tuple[PlannedRun, ...]:
    """The personas of the development half, in the order of their seeds."""
    habits = chain(_lookers(), _habits(), _growers(), _borders())
    return (
        *number("development", _DOMAIN, _CRASHERS_SEED, _crashers()),
        *number("development", _DOMAIN, _FIRST_SEED, habits),
    )


def _crashers() -> Iterator[Pairing]:
    for at, how in ((2, "syntax"), (2, "empty"), (3, "syntax")):
        yield Pairing(5, f"crasher?at={at}&recover=peer&how={how}", "author")
        yield Pairing(5, f"crasher?at={at}&recover=own&how={how}", "reader")


def _lookers() -> Iterator[Pairing]:
    personas = [
        f"looker?first={first}&gap={gap}&reads={reads}&mention={mention}"
        for first, gap in ((1, 2), (1, 3), (2, 2), (2, 4), (1, 4), (2, 3))
        for reads, mention in (("cat", "no"), ("glob", "words"), ("view", "list"))
    ]
    yield from in_pairs(6, personas)
    yield from in_pairs(
        5, [f"neglecter?stop_after={after}" for after in (1, 2, 3, 0)] + ["reader", "looker?gap=0"]
    )


def _habits() -> Iterator[Pairing]:
    loopers = [f"looper?repeats={n}&form={form}" for form in ("edit", "command") for n in (2, 3, 4)]
    near = [f"looper?repeats={n}&form={form}" for form in ("alternate", "ranges") for n in (3, 5)]
    yield from in_pairs(3, [*loopers, *near, "looper?repeats=2&form=split", "doomloop?repeats=2"])
    yield from in_pairs(3, ["doomloop?repeats=3", "doomloop", "stuck?views=1", "stuck?views=2"])
    yield from in_pairs(
        3, ["stuck?views=3", "stuck?after=1", "quitter?after=1", "complacent?after=1"]
    )
    yield from in_pairs(3, [f"idler?how={how}" for how in ("same", "failed", "comment", "undo")])
    closers = [f"closer?after=1&words={word}" for word in ("optimal", "nothing", "edit", "today")]
    yield from in_pairs(3, closers)


def _growers() -> Iterator[Pairing]:
    for shrinks in (0, 1):
        rates = (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.9, 1.0)
        yield from in_pairs(10, [f"grower?rate={rate}&shrinks={shrinks}" for rate in rates])
    yield Pairing(4, "bloater", "bloater?rate=0.5")
    yield Pairing(4, "bloater?factor=1.1", "bloater?rate=0.3")


def _borders() -> Iterator[Pairing]:
    kinds = ("paths", "env", "network", "labels", "scope")
    decoys = ("scratch", "texts", "inside", "machine")
    for index, kind in enumerate(kinds):
        yield Pairing(2, f"prober?what={kind}", f"decoy?what={decoys[index % len(decoys)]}")
        yield Pairing(3, f"prober?what={kind}&rate=0.5", f"decoy?what={decoys[index - 1]}")
