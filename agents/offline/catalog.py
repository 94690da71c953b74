"""Every offline policy: search policies, an evaluation model, and personas.

docs/reference/offline-models.md says what each does.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from agents.offline.base import Policy
from agents.offline.grader import Grader
from agents.offline.options import Number, Option, Word
from agents.offline.personas.attention import MENTIONS, Looker
from agents.offline.personas.closing import WORDS, Closer
from agents.offline.personas.crasher import Crasher
from agents.offline.personas.habits import Bloater, Complacent, Doomloop, Quitter, Stuck
from agents.offline.personas.manners import READINGS, TAKINGS
from agents.offline.personas.patterns import FORMS, GROWTH, TRIFLES, Grower, Idler, Looper
from agents.offline.personas.peers import Adopter, Coincident, Inspired, Neglecter, Reader
from agents.offline.personas.prober import PROBES, Prober
from agents.offline.personas.snoop import DECOYS, SNOOPS, Decoy, Snoop
from agents.offline.personas.takers import Author, Borrower
from agents.offline.policies.breeder import Breeder
from agents.offline.policies.climber import Climber
from agents.offline.policies.magpie import Magpie
from agents.offline.policies.mender import Mender
from agents.offline.policies.mutator import Mutator
from agents.offline.policies.tinker import Tinker


class Entry(NamedTuple):
    """One policy.

    Attributes:
        make: Makes it from its options.
        options: What it takes.
        about: One line about it.
        hostile: Whether it tries what an agent must not; such a policy needs a real boundary.
    """

    make: Callable[..., Policy]
    options: Mapping[str, Option]
    about: str
    hostile: bool = False


_SHARE = Number(float, 0.0, 1.0)
_SOME = Number(float, 0.05, 1.0)
_GENERATIONS = Number(int, 0, 1_000_000)
_CALLS = Number(int, 1, 39)
_SPREAD = Number(float, 0.0, 2.0)
_TRIALS = Number(int, 0, 1000)
_SEARCH = {"trials": _TRIALS, "spread": _SPREAD, "share": _SHARE}

_SEARCHERS: Mapping[str, Entry] = {
    "tinker": Entry(Tinker, _SEARCH, "searches on its own, does not look at peers"),
    "magpie": Entry(Magpie, _SEARCH, "adopts what a peer does better, else searches a little"),
    "grader": Entry(Grader, {}, "an evaluation model: picks a label by a simple text heuristic"),
    "mutator": Entry(
        Mutator, {"trials": _TRIALS, "spread": _SPREAD}, "mutation: one change at a time, any task"
    ),
    "climber": Entry(
        Climber,
        {
            "trials": _TRIALS,
            "restarts": Number(int, 1, 20),
            "patience": Number(int, 1, 1000),
            "spread": _SPREAD,
        },
        "hill climbing with restarts, any task",
    ),
    "breeder": Entry(
        Breeder,
        {"trials": _TRIALS, "spread": _SPREAD},
        "recombination: takes peers' functions that help, any task",
    ),
    "mender": Entry(
        Mender,
        {"trials": _TRIALS, "spread": _SPREAD},
        "format repair: mends what fails its gates, any task",
    ),
}
_PERSONAS: Mapping[str, Entry] = {
    "adopter": Entry(
        Adopter,
        {"eagerness": _SHARE, "share": _SOME, "picky": Number(int, 0, 1)},
        "takes the code of a peer that does better",
    ),
    "neglecter": Entry(
        Neglecter, {"stop_after": _GENERATIONS}, "looks at peers for a while, then never again"
    ),
    "reader": Entry(Reader, {"rate": _SHARE}, "reads peers and never uses what it reads"),
    "inspired": Entry(Inspired, {"share": _SOME}, "writes a peer's ideas in its own words"),
    "coincident": Entry(
        Coincident,
        {"delay": _GENERATIONS, "trials": _TRIALS, "peek": Word(("no", "names", "code"))},
        "has the same ideas as its like, unread",
    ),
    "bloater": Entry(
        Bloater,
        {"factor": Number(float, 1.0, 3.0), "rate": _SHARE},
        "makes its code longer to no end",
    ),
    "stuck": Entry(
        Stuck, {"views": _CALLS, "after": _GENERATIONS}, "reads its code again and again"
    ),
    "doomloop": Entry(
        Doomloop, {"repeats": _CALLS, "after": _GENERATIONS}, "repeats an edit that fails"
    ),
    "quitter": Entry(Quitter, {"after": _GENERATIONS}, "declares itself finished"),
    "complacent": Entry(Complacent, {"after": _GENERATIONS}, "notes that it is at world record"),
    "crasher": Entry(
        Crasher,
        {
            "at": Number(int, 1, 1_000_000),
            "down": Number(int, 1, 1000),
            "recover": Word(("own", "peer", "never")),
            "how": Word(("syntax", "empty")),
        },
        "breaks its code, and recovers from its own or a peer's",
    ),
    "prober": Entry(
        Prober,
        {"what": Word(PROBES), "rate": _SHARE},
        "tries forbidden paths, environment, network, labels and files",
        hostile=True,
    ),
}

_GRADED: Mapping[str, Entry] = {
    "author": Entry(Author, {"blocks": Number(int, 1, 50)}, "writes functions of its own"),
    "borrower": Entry(
        Borrower,
        {
            "share": _SOME,
            "extra": Number(int, 0, 50),
            "start": Number(int, 1, 1_000_000),
            "every": Number(int, 1, 1_000_000),
            "reads": Word(READINGS),
            "takes": Word(TAKINGS),
        },
        "takes a share of what a peer has, in one of many manners",
    ),
    "looker": Entry(
        Looker,
        {
            "first": _GENERATIONS,
            "gap": _GENERATIONS,
            "reads": Word(("names", *READINGS)),
            "mention": Word(MENTIONS),
        },
        "looks at peers by a timetable, in one of many manners",
    ),
    "looper": Entry(
        Looper, {"repeats": _CALLS, "form": Word(FORMS)}, "makes equal calls, or nearly equal ones"
    ),
    "idler": Entry(Idler, {"how": Word(TRIFLES)}, "fills its time with trifles"),
    "grower": Entry(
        Grower,
        {"rate": _SHARE, "shrinks": Number(int, 0, 1), "how": Word(GROWTH)},
        "makes its code longer in a share of generations",
    ),
    "closer": Entry(
        Closer, {"after": _GENERATIONS, "words": Word(WORDS)}, "says that it is finished, or not"
    ),
    "snoop": Entry(
        Snoop,
        {"what": Word(SNOOPS), "rate": _SHARE},
        "looks beyond its workspace, in other ways than prober",
        hostile=True,
    ),
    "decoy": Entry(Decoy, {"what": Word(DECOYS)}, "does what only looks like leaving"),
}

POLICIES: Mapping[str, Entry] = {**_SEARCHERS, **_PERSONAS, **_GRADED}
"""Every policy by name."""
