"""Reads from instructions which labels should be answered more often, and which less.

No sentence is expected: the reading goes by plain features. A sentence is cut into clauses; in a
clause, a word of quantity ("often", "seldom", "more", "overused") near a label says how much of
it there is or should be. A complaint ("too often", "not enough", "more than it should") turns the
quantity round, a request ("should be", "give", "please") does not. Behind "than", "rather than",
"instead of", "over" and "from" a label gets the opposite of what the clause before them says.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

_HIGH = re.compile(
    "often|frequent(ly)?|common(ly)?|regularly|generous(ly)?|liberal(ly)?|freely|heavily|eager(ly)?"
    "|readily|quick(ly)?|easily|high|many|much|more|most|abundant|plenty|prefer(s|red)?"
    "|favou?r(s|ed)?|lean(s|ed|ing)?|towards?|increase|raise|boost|(move|shift|switch)(e?d)?"
)
_LOW = re.compile(
    "seldom|rare(ly)?|infrequent(ly)?|scarce(ly)?|sparing(ly)?|hardly|few|fewer|little|less|least"
    "|low|reluctant(ly)?|stingy|uncommon|against"
)
_EXCESS = re.compile("over(?!all|look|ly).+|excess(ive|ively)?|surplus|exceed(s|ed)")
_LACK = re.compile(
    "under(?!st|lying|neath|go).+|(neglect|overlook)(s|ed|ing)?|ignored|missed|missing"
    "|lack(s|ed|ing)?|shortage|insufficient(ly)?"
)
_TOO = re.compile("too|so|overly|unduly")
_NEGATION = re.compile(
    "not|never|avoid|stop|reduce|limit|cut|lower|curb|decrease|restrict|refrain|cease"
)
_REQUEST = re.compile(
    "should|must|ought|needs?|shall|please|deserve[sd]?|try|future|next|now|better|henceforth"
)
_VERB = re.compile(
    "give|use|choose|pick|select|say|prefer|consider|make|lean|favou?r|return|reply"
    "|respond|output|predict|assign|award|let|increase|raise|boost|lower|reduce|limit|cut|shift"
    "|move|switch|reserve|hand|avoid|stop"
)
_ELLIPSIS = re.compile("more|fewer|less|be|do|go|answer")
_FILLER = re.compile("the|an?|labels?|also|even|both|or")
_CLAUSE = re.compile(
    r"[,;:()\u2013\u2014]|\b(?:and|but|while|whereas|yet|though|although|because|when|where)\b"
    r"|\b(?:rather than|instead of|than|over|from|to|into)\b(?=[\s\"'`*]*(?:the\s+)?[\"'`*]*\x00)"
    r"|\bthan\b"
)
_OPPOSITE = frozenset(("rather than", "instead of", "than", "over", "from"))
_JOINED = _OPPOSITE | {"to", "into"}
_SENTENCE = re.compile(r"[.!?]+(?:\s|$)|\n\s*\n")
_TOKEN = re.compile(r"\x00(\d+)|([a-z]+)")
_LONGEST = 600  # characters of a sentence that is read


class _Clause(NamedTuple):
    """A part of a sentence: how it is joined to the one before, its labels, its words."""

    joint: str
    labels: tuple[int, ...]
    words: tuple[str, ...]

    def count(self, pattern: re.Pattern[str]) -> int:
        """Count the different words of a kind."""
        return sum(1 for word in {*self.words} if pattern.fullmatch(word))

    @property
    def is_imperative(self) -> bool:
        """Whether it holds a verb in its base form, or begins with a word that stands for one."""
        return self.count(_VERB) > 0 or bool(_ELLIPSIS.fullmatch(next(iter(self.words), "")))

    @property
    def is_opposite(self) -> bool:
        """Whether its labels get the opposite of what the clause before says."""
        return self.joint in _OPPOSITE and bool(self.labels)

    @property
    def is_standard(self) -> bool:
        """Whether it names no label, but what something is more or less than."""
        return self.joint == "than" and not self.labels


def read_leanings(text: str, labels: Sequence[str]) -> Mapping[str, int]:
    """How many sentences ask for more of each label, less those that ask for less of it."""
    shifts = dict.fromkeys(labels, 0)
    if not labels:
        return shifts
    for sentence in _SENTENCE.split(_marked(text, labels)):
        if "\x00" in sentence and len(sentence) <= _LONGEST:
            for number, shift in _shifts(list(_clauses(sentence))).items():
                shifts[labels[number]] += shift
    return shifts


def _marked(text: str, labels: Sequence[str]) -> str:
    """The text in lower case, with a mark in place of each label."""
    numbers = {label.lower(): number for number, label in enumerate(labels)}
    longest_first = sorted(map(re.escape, numbers), key=len, reverse=True)
    pattern = rf"(?<![\w-])({'|'.join(longest_first)})(?![\w-])"
    plain = re.sub(r"(?<=[a-z])n['\u2019]t\b|(?<=\bcan)not\b", " not", text.lower())
    marked = re.sub(pattern, lambda match: f"\x00{numbers[match[1]]} ", plain)
    return re.sub(r"(?<=[a-z])-(?=[a-z])", "", marked)


def _clauses(sentence: str) -> Iterator[_Clause]:
    joints = ["", *(match[0] for match in _CLAUSE.finditer(sentence))]
    for joint, part in zip(joints, _CLAUSE.split(sentence), strict=True):
        tokens = _TOKEN.findall(part)
        marks = tuple(dict.fromkeys(int(number) for number, _ in tokens if number))
        yield _Clause(joint, marks, tuple(word for _, word in tokens if word))


def _shifts(clauses: Sequence[_Clause]) -> dict[int, int]:
    """What one sentence asks for; a label without a word of quantity goes with its neighbour's."""
    is_request = _is_request(clauses)
    shifts: dict[int, int] = {}
    waiting: list[int] = []
    latest = 0
    for index, clause in enumerate(clauses):
        follower = clauses[index + 1] if index + 1 < len(clauses) else None
        is_measured = follower is not None and follower.is_standard
        shift = 0 if clause.is_standard else _shift(clause, is_request, is_measured)
        if shift:
            latest = shift
            shifts.update(dict.fromkeys(waiting, shift))
            shifts.update(dict.fromkeys(clause.labels, -shift if clause.is_opposite else shift))
            waiting = []
        elif latest and (clause.joint in _JOINED or clause.count(_FILLER) == len({*clause.words})):
            shifts.update(dict.fromkeys(clause.labels, -latest if clause.is_opposite else latest))
        elif not latest:
            waiting += clause.labels
    return shifts


def _is_request(clauses: Sequence[_Clause]) -> bool:
    """Whether a sentence asks for something, other than by what something is measured with."""
    asking = [clause for clause in clauses if clause.joint != "than"]
    return any(clause.count(_REQUEST) or clause.is_imperative for clause in asking)


def _shift(clause: _Clause, is_request: bool, is_measured: bool) -> int:
    """1 if a clause asks for more, -1 if it asks for less, 0 if it says nothing of quantity.

    Args:
        clause: The clause.
        is_request: Whether its sentence asks for something.
        is_measured: Whether "than it should", or the like, stands behind it.
    """
    if clause.count(_LACK):
        return 1
    if clause.count(_EXCESS):
        return -1
    low, is_negated = clause.count(_LOW), clause.count(_NEGATION) > 0
    if "enough" in clause.words:
        return 1 if is_negated or low or is_request else 0
    has_quantity = low > 0 or clause.count(_HIGH) > 0
    quantity = (-1) ** low if has_quantity else 0
    if clause.count(_TOO) or is_measured:
        return -quantity
    if is_request:
        return -(quantity or bool(clause.labels)) if is_negated else quantity
    return quantity if is_negated else -quantity
