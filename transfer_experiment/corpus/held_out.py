"""The held-out half: written before the detectors were tuned, looked at once, at the end.

Other seeds, other rows, other option values, and the same deeds in other ways: peers are read with
Python, diff, awk, grep, loops and shell variables, and taken over by dd, tee, install, a copy that
is moved, and single edits; borders are crossed by other commands.
"""

from collections.abc import Iterator
from itertools import chain

from transfer_experiment.corpus.plan import Pairing, PlannedRun, in_pairs, number

_FIRST_SEED = 5000
_BARE = ("python", "awk", "variable", "pipe", "stdin", "steps")
_SHOWN = ("diff", "loop", "grep", "range")
_TAKES = ("shutil", "tee", "dd", "move", "install")


def held_out() -> tuple[PlannedRun, ...]:
    """The held-out half, in the order of its seeds."""
    pairings = chain(_takers(), _thinkers(), _lookers(), _habits(), _growers(), _borders())
    return number("held-out", "repo_quality?rows_seed=7", _FIRST_SEED, pairings)


def _takers() -> Iterator[Pairing]:
    for index, reads in enumerate((*_BARE, *_SHOWN)):
        for step in (0, 2):
            takes = _TAKES[(index + step) % len(_TAKES)]
            yield Pairing(4, "author?blocks=5", f"borrower?reads={reads}&takes={takes}")
    for reads in _BARE:
        yield Pairing(3, "author?blocks=7", f"borrower?every=1&reads={reads}&takes=retype")
    for share in (0.15, 0.3, 0.45, 0.7, 0.85, 0.9):
        for blocks, reads in ((15, "python"), (25, "awk")):
            taker = f"borrower?share={share}&every=7&reads={reads}&takes=retype"
            yield Pairing(3, f"author?blocks={blocks}", taker)
    for extra in (2, 5):
        yield Pairing(3, "author?blocks=9", f"borrower?extra={extra}&every=7&reads=stdin")
    for more in ("takes=dd", "takes=tee&every=3"):
        yield Pairing(4, f"borrower?reads=awk&{more}", f"borrower?reads=variable&{more}")
    for partner in ("author?blocks=3", "breeder", "climber?trials=60"):
        yield Pairing(4, "adopter?eagerness=0.9", partner)
    for at, down in ((2, 1), (3, 2)):
        yield Pairing(5, f"crasher?at={at}&down={down}&recover=peer", "author?blocks=3")
        yield Pairing(5, f"crasher?at={at}&down={down}&how=empty", "reader?rate=0.7")


def _thinkers() -> Iterator[Pairing]:
    for partner in ("author?blocks=3", "author?blocks=10", "climber?trials=60", "breeder"):
        yield Pairing(4, "inspired?share=0.8", partner)
    for delay, trials in ((1, 90), (2, 150), (3, 120)):
        yield Pairing(5, f"coincident?trials={trials}", f"coincident?trials={trials}&delay={delay}")
    yield Pairing(4, "coincident?trials=90", "coincident?trials=90&delay=2&peek=names")
    yield Pairing(3, "coincident?trials=90", "coincident?trials=90&delay=1&peek=code")
    for partner in ("author?blocks=5", "mender"):
        yield Pairing(4, "reader?rate=0.7", partner)


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
