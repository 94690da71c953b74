"""Every offline policy: search policies, an evaluation model, and personas.

docs/reference/offline-models.md says what each does.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from hyperspace.models.base import UnknownModel
from hyperspace.offline.grader import Grader
from hyperspace.offline.personas.authors import CodeAuthor
from hyperspace.offline.personas.habits import WORDS, Bloater, Closer, Complacent, Crasher, quitter
from hyperspace.offline.personas.manners import READINGS
from hyperspace.offline.personas.patterns import (
    FORMS,
    GROWTH,
    TRIFLES,
    Grower,
    Idler,
    doomloop,
    looper,
    stuck,
)
from hyperspace.offline.personas.peers import (
    MENTIONS,
    Adopter,
    Coincident,
    Inspired,
    Looker,
    neglecter,
    reader,
)
from hyperspace.offline.personas.snoop import DECOYS, PROBES, SNOOPS, Decoy, Prober, Snoop
from hyperspace.offline.planned import OfflinePolicy
from hyperspace.offline.policies.examiner import Examiner
from hyperspace.offline.policies.heeding import Heeding
from hyperspace.offline.policies.ideator import Ideator
from hyperspace.offline.policies.pressure import METAS, Pressure
from hyperspace.offline.policies.reviewer import Reviewer
from hyperspace.offline.policies.searchers import Breeder, Climber, Mender, Mutator
from hyperspace.offline.policies.tester import CaseMaker
from hyperspace.offline.policies.tuners import Magpie, Tinker


class NumberOption(NamedTuple):
    """A number that a policy takes.

    Attributes:
        kind: int or float.
        low: Smallest value.
        high: Largest value.
    """

    kind: type[int] | type[float]
    low: float
    high: float

    def read(self, text: str) -> int | float | None:
        """The value; None if it does not fit."""
        try:
            value = self.kind(text)
        except ValueError:
            return None
        return value if self.low <= value <= self.high else None

    def __str__(self) -> str:
        return f"a number of type {self.kind.__name__} from {self.low:.15g} to {self.high:.15g}"


class WordOption(NamedTuple):
    """A word that a policy takes.

    Attributes:
        words: The words there are.
    """

    words: tuple[str, ...]

    def read(self, text: str) -> str | None:
        """The value; None if it does not fit."""
        return text if text in self.words else None

    def __str__(self) -> str:
        return f"one of {', '.join(self.words)}"


class Option(Protocol):
    """Reads the value of an option; as a text it says what the value must be."""

    def read(self, text: str) -> int | float | str | None:
        """The value; None if it does not fit."""
        ...


def read_options(
    policy: str, options: Mapping[str, Option], given: Mapping[str, str]
) -> dict[str, int | float | str]:
    """Read the options of one policy.

    Raises:
        UnknownModel: There is no such option, or a value does not fit; says what exists.
    """
    values: dict[str, int | float | str] = {}
    for key, text in given.items():
        option = options.get(key)
        if option is None:
            exist = ", ".join(options) or "none"
            raise UnknownModel(f"offline/{policy} has no option {key!r}; options: {exist}")
        value = option.read(text)
        if value is None:
            raise UnknownModel(f"offline/{policy}: {key} is {text!r}; it must be {option}")
        values[key] = value
    return values


class PolicyEntry(NamedTuple):
    """One policy.

    Attributes:
        make: Makes it from its options.
        options: What it takes.
        about: One line about it.
        hostile: Whether it tries what an agent must not; such a policy needs a real boundary.
    """

    make: Callable[..., OfflinePolicy]
    options: Mapping[str, Option]
    about: str
    hostile: bool = False


_SHARE = NumberOption(float, 0.0, 1.0)
_SOME = NumberOption(float, 0.05, 1.0)
_GENERATIONS = NumberOption(int, 0, 1_000_000)
_CALLS = NumberOption(int, 1, 39)
_SPREAD = NumberOption(float, 0.0, 2.0)
_TRIALS = NumberOption(int, 0, 1000)
_CPU = {"cpu_s": NumberOption(int, 1, 100)}  # more would not fit into one call of the shell
_MUTATION = {"trials": _TRIALS, "spread": _SPREAD, **_CPU}
_REPERTOIRES = ("numbers", "structure", "lists", "data", "both", "all")
_REPERTOIRE = {"repertoire": WordOption(_REPERTOIRES)}
_SEARCH = {"trials": _TRIALS, "spread": _SPREAD, "share": _SHARE, **_CPU}

_SEARCHERS: Mapping[str, PolicyEntry] = {
    "tinker": PolicyEntry(Tinker, _SEARCH, "searches on its own, does not look at peers"),
    "magpie": PolicyEntry(
        Magpie, _SEARCH, "adopts what a peer does better, else searches a little"
    ),
    "grader": PolicyEntry(
        Grader, {}, "an evaluation model: picks a label by a simple text heuristic"
    ),
    "examiner": PolicyEntry(
        Examiner, {}, "finds facts for a rubric, states them and checks them, by words alone"
    ),
    "reviewer": PolicyEntry(
        Reviewer, {}, "reviews tries: which class of items fails, and what the history shows"
    ),
    "heeding": PolicyEntry(
        Heeding,
        _MUTATION,
        "climbs, and makes half of its changes where a reviewer's advice points",
    ),
    "tester": PolicyEntry(
        CaseMaker,
        {"most": NumberOption(int, 1, 100), "manner": WordOption(("honest", "random", "foul"))},
        "makes up cases for an arena: of items that solvers fail, of any (random), or foul ones",
    ),
    "mutator": PolicyEntry(
        Mutator, {**_MUTATION, **_REPERTOIRE}, "mutation: one change at a time, any task"
    ),
    "climber": PolicyEntry(
        Climber,
        {
            "trials": _TRIALS,
            "restarts": NumberOption(int, 1, 20),
            "patience": NumberOption(int, 1, 1000),
            "spread": _SPREAD,
            **_CPU,
            **_REPERTOIRE,
        },
        "hill climbing with restarts, any task",
    ),
    "breeder": PolicyEntry(
        Breeder,
        {**_MUTATION, **_REPERTOIRE},
        "recombination: takes peers' functions that help, any task",
    ),
    "mender": PolicyEntry(Mender, _MUTATION, "format repair: mends what fails its gates, any task"),
    "ideator": PolicyEntry(
        Ideator, {"pairs": _SHARE}, "has ideas about training code, from a catalogue of changes"
    ),
    "pressure": PolicyEntry(
        Pressure,
        {"meta": WordOption(METAS)},
        "changes a record by the pressure of its errors",
    ),
}
_PERSONAS: Mapping[str, PolicyEntry] = {
    "adopter": PolicyEntry(
        Adopter,
        {"eagerness": _SHARE, "share": _SOME, "picky": NumberOption(int, 0, 1)},
        "takes the code of a peer that does better",
    ),
    "neglecter": PolicyEntry(
        neglecter, {"stop_after": _GENERATIONS}, "looks at peers for a while, then never again"
    ),
    "reader": PolicyEntry(reader, {"rate": _SHARE}, "reads peers and never uses what it reads"),
    "inspired": PolicyEntry(Inspired, {"share": _SOME}, "writes a peer's ideas in its own words"),
    "coincident": PolicyEntry(
        Coincident,
        {"delay": _GENERATIONS, "trials": _TRIALS, "peek": WordOption(("no", "names", "code"))},
        "has the same ideas as its like, unread",
    ),
    "bloater": PolicyEntry(
        Bloater,
        {"factor": NumberOption(float, 1.0, 3.0), "rate": _SHARE},
        "makes its code longer to no end",
    ),
    "stuck": PolicyEntry(
        stuck, {"views": _CALLS, "after": _GENERATIONS}, "reads its code again and again"
    ),
    "doomloop": PolicyEntry(
        doomloop, {"repeats": _CALLS, "after": _GENERATIONS}, "repeats an edit that fails"
    ),
    "quitter": PolicyEntry(quitter, {"after": _GENERATIONS}, "declares itself finished"),
    "complacent": PolicyEntry(
        Complacent, {"after": _GENERATIONS}, "notes that it is at world record"
    ),
    "crasher": PolicyEntry(
        Crasher,
        {
            "at": NumberOption(int, 1, 1_000_000),
            "down": NumberOption(int, 1, 1000),
            "recover": WordOption(("own", "peer", "never")),
            "how": WordOption(("syntax", "empty")),
        },
        "breaks its code, and recovers from its own or a peer's",
    ),
    "prober": PolicyEntry(
        Prober,
        {"what": WordOption(PROBES), "rate": _SHARE},
        "tries forbidden paths, environment, network, labels and files",
        hostile=True,
    ),
}

_GRADED: Mapping[str, PolicyEntry] = {
    "author": PolicyEntry(
        CodeAuthor, {"blocks": NumberOption(int, 1, 50)}, "writes functions of its own"
    ),
    "looker": PolicyEntry(
        Looker,
        {
            "first": _GENERATIONS,
            "gap": _GENERATIONS,
            "reads": WordOption(("names", *READINGS)),
            "mention": WordOption(MENTIONS),
        },
        "looks at peers by a timetable, in one of many manners",
    ),
    "looper": PolicyEntry(
        looper,
        {"repeats": _CALLS, "form": WordOption(FORMS)},
        "makes equal calls, or nearly equal ones",
    ),
    "idler": PolicyEntry(Idler, {"how": WordOption(TRIFLES)}, "fills its time with trifles"),
    "grower": PolicyEntry(
        Grower,
        {"rate": _SHARE, "shrinks": NumberOption(int, 0, 1), "how": WordOption(GROWTH)},
        "makes its code longer in a share of generations",
    ),
    "closer": PolicyEntry(
        Closer,
        {"after": _GENERATIONS, "words": WordOption(WORDS)},
        "says that it is finished, or not",
    ),
    "snoop": PolicyEntry(
        Snoop,
        {"what": WordOption(SNOOPS), "rate": _SHARE},
        "looks beyond its workspace, in other ways than prober",
        hostile=True,
    ),
    "decoy": PolicyEntry(Decoy, {"what": WordOption(DECOYS)}, "does what only looks like leaving"),
}

POLICIES: dict[str, PolicyEntry] = {**_SEARCHERS, **_PERSONAS, **_GRADED}
"""Every policy by name."""
