"""The development half: detectors may be tuned on it.

Peers are read with cat, head, sed, cd, view and patterns, and taken over with cp, redirection,
create and here-documents. The held-out half does all of that in other ways.
"""

from collections.abc import Iterator
from itertools import chain

from transfer_experiment.corpus.plan import Pairing, PlannedRun, in_pairs, number

_FIRST_SEED = 1000
_READS = ("cat", "head", "sed", "cd")
_TAKES = ("cp", "redirect", "create", "heredoc")


def development() -> tuple[PlannedRun, ...]:
    """The development half, in the order of its seeds."""
    pairings = chain(
        _takers(), _thinkers(), _lookers(), _habits(), _growers(), _borders(), _near_the_threshold()
    )
    return number("development", "repo_quality", _FIRST_SEED, pairings)


def _takers() -> Iterator[Pairing]:
    for reads in _READS:
        for takes in _TAKES:
            yield Pairing(4, "author", f"borrower?reads={reads}&takes={takes}")
    for reads, takes in (("view", "cp"), ("glob", "redirect"), ("view", "redirect")):
        yield Pairing(3, "author?blocks=8", f"borrower?every=1&reads={reads}&takes={takes}")
    for share in (0.2, 0.35, 0.5, 0.65, 0.8, 0.95):
        for blocks, reads, takes in ((12, "cat", "create"), (20, "sed", "heredoc")):
            taker = f"borrower?share={share}&every=5&reads={reads}&takes={takes}"
            yield Pairing(3, f"author?blocks={blocks}", taker)
    for extra in (1, 3, 8):
        yield Pairing(3, "author?blocks=6", f"borrower?extra={extra}&every=5")
    for seed_words in ("", "&every=1", "&start=3"):
        yield Pairing(4, f"borrower?takes=redirect{seed_words}", f"borrower?reads=head{seed_words}")
    for partner in ("author", "mutator", "climber", "author?blocks=2"):
        yield Pairing(4, "adopter?eagerness=1", partner)
    yield Pairing(4, "adopter?eagerness=0.5&picky=0", "author?blocks=3")
    for at, how in ((2, "syntax"), (2, "empty"), (3, "syntax")):
        yield Pairing(5, f"crasher?at={at}&recover=peer&how={how}", "author")
        yield Pairing(5, f"crasher?at={at}&recover=own&how={how}", "reader")


def _thinkers() -> Iterator[Pairing]:
    for partner in ("author", "author?blocks=8", "climber", "mutator"):
        yield Pairing(4, "inspired", partner)
    yield Pairing(4, "inspired?share=0.5", "author?blocks=6")
    for delay, peek in ((1, "no"), (1, "names"), (2, "no"), (2, "names")):
        yield Pairing(4, "coincident", f"coincident?delay={delay}&peek={peek}")
    yield Pairing(3, "coincident", "coincident?delay=1&peek=code")
    for partner in ("author", "borrower", "climber"):
        yield Pairing(4, "reader?rate=0.5", partner)


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


def _near_the_threshold() -> Iterator[Pairing]:
    for share in (0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75):
        for blocks in (10, 30):
            yield Pairing(2, f"author?blocks={blocks}", f"borrower?share={share}&takes=create")
