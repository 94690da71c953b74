"""What a generation has of a strategy in other words: renamed, laid out anew, a table of numbers.

No line is equal then. Two modules are compared by their normal forms: a function or a table that is
new to the agent and has the form of one of the peer's, or at least four unusual numbers that are
new to it and stand in the peer's code, which are most of its new ones.
"""

from collections.abc import Callable
from itertools import chain
from typing import Final, NamedTuple

from transfer_experiment.paths.line_path import LinePath
from transfer_experiment.paths.normal_form import (
    CodePart,
    NormalForm,
    normal_form,
    shared_literals,
)
from transfer_experiment.paths.tracing import PathFinder
from transfer_experiment.similarity.moves import Moves
from transfer_experiment.turns.code import SeenStrategy
from transfer_experiment.turns.lines import is_telling

_FEWEST_NUMBERS: Final = 4
_TEXTS_OF_MOVE: Final = 3


class Rewriting(NamedTuple):
    """What came into a generation in other words.

    Attributes:
        path: How it came in.
        is_whole: Whether the code went towards the peer's by its normal form: then it is the
            peer's code under other names.
    """

    path: LinePath
    is_whole: bool


class _Alike(NamedTuple):
    """Numbers of lines that are alike: the agent's, and the peer's."""

    mine: tuple[int, ...]
    theirs: tuple[int, ...]


def rewriting_of(
    text: str,
    before: str,
    seen: SeenStrategy,
    is_own: Callable[[str], bool],
    finder: PathFinder,
    moves: Moves,
) -> Rewriting | None:
    """Find what a text has of a strategy in other words; None if there is nothing.

    Args:
        text: The agent's code.
        before: Its code before.
        seen: The strategy.
        is_own: Whether a line stood in the agent's code before, or stands in another strategy.
        finder: Finds the paths of the generation.
        moves: Measures moves towards peers.
    """
    mine, theirs = normal_form(text), normal_form(seen.text)
    if mine is None or theirs is None:
        return None
    own = normal_form(before)
    new = {
        number
        for number, line in enumerate(map(str.strip, text.splitlines()), start=1)
        if line and not is_own(line)
    }
    alike = _alike(mine, theirs, own, new)
    if not alike.mine:
        return None
    path = finder.find_rewritten(
        _lines_at(text, alike.mine), _lines_at(seen.text, alike.theirs), seen
    )
    return Rewriting(path, is_whole=is_renamed(text, before, seen.text, moves))


def is_renamed(text: str, before: str, peer: str, moves: Moves) -> bool:
    """Return True if by their normal forms a text went from the one before towards a peer's."""
    forms = [form.text for form in map(normal_form, (text, before, peer)) if form is not None]
    return len(forms) == _TEXTS_OF_MOVE and moves.below(*forms) is not None


def _alike(mine: NormalForm, theirs: NormalForm, own: NormalForm | None, new: set[int]) -> _Alike:
    """The lines of units that are new and have one form, or of numbers that are new and shared."""
    had = {unit.form for unit in own.units} if own else set[str]()
    forms = {unit.form: unit for unit in theirs.units if unit.is_large and unit.form not in had}
    units = [
        (unit, forms[unit.form])
        for unit in mine.units
        if unit.form in forms and _is_mostly(new, unit)
    ]
    if units:
        return _Alike(
            tuple(chain.from_iterable(range(u.first, u.last + 1) for u, _ in units)),
            tuple(chain.from_iterable(range(u.first, u.last + 1) for _, u in units)),
        )
    known = own.literals.keys() if own else frozenset[str]()
    fresh = {
        literal: lines
        for literal, lines in mine.literals.items()
        if literal not in known and not new.isdisjoint(lines)
    }
    shared = [literal for literal in shared_literals(mine, theirs) if literal in fresh]
    if len(shared) < _FEWEST_NUMBERS or 2 * len(shared) < len(fresh):
        return _Alike((), ())
    return _Alike(
        tuple(chain.from_iterable(fresh[literal] for literal in shared)),
        tuple(chain.from_iterable(theirs.literals[literal] for literal in shared)),
    )


def _is_mostly(new: set[int], unit: CodePart) -> bool:
    """Return True if a third of a unit's lines or more are new: brackets and the like never are."""
    lines = range(unit.first, unit.last + 1)
    return 3 * len(new.intersection(lines)) >= len(lines)


def _lines_at(text: str, numbers: tuple[int, ...]) -> list[str]:
    lines = text.splitlines()
    chosen = (lines[number - 1].strip() for number in dict.fromkeys(numbers))
    return [line for line in chosen if is_telling(line)]
