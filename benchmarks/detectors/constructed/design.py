"""Which scenarios there are: each way of reading and of taking, in true and in false cases.

- each way of reading: once before a whole file is typed out, once before a whole file is copied,
  and once behind what was written already
- each way of taking: once for a whole file, ways of copying also without a display; and once for
  the same code, unread
- each other case several times, with ways that rotate
- each half its own rotation, names, texts and rows

A run has two agents, each of whom plays a case on the other's first generation; cases with three
agents, or with a peer that does what the case needs, are runs of their own.
"""

from collections.abc import Iterator, Mapping
from itertools import chain, cycle, islice, zip_longest

from benchmarks.detectors.constructed import independent, transfers
from benchmarks.detectors.constructed.acts import Case, CaseOf, Side, side
from benchmarks.detectors.constructed.company import COMPANY
from benchmarks.detectors.constructed.readings import COUNTING, LISTING, READINGS
from benchmarks.detectors.constructed.takings import COPIES, TYPING
from benchmarks.detectors.plan import Half
from benchmarks.detectors.scenario import Scenario

_NAMES: Mapping[Half, tuple[tuple[str, str, str], ...]] = {
    "development": (("ana", "bob", "cleo"), ("iris", "jon", "kim"), ("lea", "max", "nora")),
    "held-out": (("ravi", "sue", "tom"), ("uma", "vic", "wen"), ("yan", "zoe", "abe")),
    "mini": (("ana", "bob", "cleo"),),
}
_ROWS: Mapping[Half, str] = {
    "development": "repo_quality",
    "held-out": "repo_quality?rows_seed=7",
    "mini": "repo_quality",
}
_TURNED: Mapping[Half, int] = {"development": 0, "held-out": 5, "mini": 0}


def scenarios(half: Half) -> dict[str, Scenario]:
    """The scenarios of a half, by name."""
    cases = list(_mini() if half == "mini" else _cases(_TURNED[half]))
    pairs = zip(cases[::2], [*cases[1::2], cases[0]], strict=False)
    names = cycle(_NAMES[half])
    made: dict[str, Scenario] = {}
    for number, (first, second) in enumerate(pairs, 1):
        made[f"pair-{number:03d}"] = _pair(half, number, next(names), first, second)
    for number, (company, reads, takes) in enumerate(_company(half), 1):
        me, first, second = (side(name, f"{half}-company-{number}-{name}") for name in next(names))
        made[f"company-{number:03d}"] = COMPANY[company](
            _ROWS[half], me, first, second, reads, takes
        )
    return made


_Chosen = tuple[CaseOf, str, str]


def _pair(
    half: Half, number: int, names: tuple[str, ...], first: _Chosen, second: _Chosen
) -> Scenario:
    left, right = (side(name, f"{half}-{number}-{name}") for name in names[:2])
    cases = (_made(first, left, right), _made(second, right, left))
    turns = [left.first_turn(), right.first_turn(), *chain(*(case.turns for case in cases))]
    extra = dict.fromkeys(chain(*(case.scope for case in cases)))
    return Scenario(
        (left.agent, right.agent),
        tuple(turns),
        ("task_agent.py", "meta_agent.py", *extra),
        _ROWS[half],
    )


def _made(chosen: _Chosen, me: Side, peer: Side) -> Case:
    case_of, reads, takes = chosen
    return case_of(me, peer, reads, takes)


def _cases(turned: int) -> Iterator[_Chosen]:
    """The cases of a half that one agent can play on one peer, true and false by turns."""
    readings, copies, typing = (_from(turned, ways) for ways in (READINGS, COPIES, TYPING))
    true = chain(
        ((transfers.whole, reads, next(typing)) for reads in READINGS),
        ((transfers.whole, reads, next(copies)) for reads in READINGS),
        ((transfers.undisplayed, "", takes) for takes in COPIES),
        ((transfers.by_scratch, "", takes) for takes in ("cp", "redirect", "shutil", "dd")),
        (
            (case, next(readings), next(typing))
            for case in transfers.TYPED_CASES.values()
            for _ in range(4)
        ),
        (
            (case, next(readings), next(ways))
            for case in transfers.LATE_CASES.values()
            for ways in (typing, copies)
        ),
    )
    ways = _from(turned, (*TYPING, *COPIES))
    false = chain(
        ((independent.read_after, reads, next(ways)) for reads in READINGS),
        ((independent.unread, "", takes) for takes in (*TYPING, *COPIES)),
        ((independent.unused, next(readings), next(ways)) for _ in range(8)),
        ((independent.counted, how, next(ways)) for how in COUNTING),
        ((independent.listed, how, next(ways)) for how in LISTING),
        ((independent.failed, how, next(ways)) for how in ("cat", "cp", "str_replace")),
        ((independent.guarded, how, next(ways)) for how in ("strategies", "agent", "evals")),
        ((independent.named, how, next(ways)) for how in ("equal", "own", "equal", "own")),
    )
    yield from _alternating(true, false)


def _mini() -> Iterator[_Chosen]:
    """A few, for quick checks."""
    yield transfers.whole, "cat", "create"
    yield independent.read_after, "view", "here-document"
    yield transfers.undisplayed, "", "redirect"
    yield transfers.few, "sed", "str_replace"
    yield transfers.by_note, "cat", "cp"
    yield independent.unread, "", "tee"


def _company(half: Half) -> Iterator[tuple[str, str, str]]:
    readings = _from(_TURNED[half], [how for how in READINGS if how not in ("glob", "loop")])
    ways = _from(_TURNED[half], (*TYPING, *COPIES))
    times = 1 if half == "mini" else 4
    for company in list(COMPANY)[: 1 if half == "mini" else None]:
        for _ in range(times):
            yield company, next(readings), next(ways)


def _from(turned: int, ways: Mapping[str, object] | tuple[str, ...] | list[str]) -> Iterator[str]:
    return islice(cycle(ways), turned, None)


def _alternating(true: Iterator[_Chosen], false: Iterator[_Chosen]) -> Iterator[_Chosen]:
    return chain.from_iterable(
        filter(None, both) for both in zip_longest(true, false, fillvalue=None)
    )
