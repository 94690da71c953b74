"""What a domain's own code does wrong in a run becomes one sentence that names the domain.

A domain may be a person's file, and can fail in any way. What it raises is neither the candidate's
fault nor ours: the generation is not counted, and the same command goes on once it is mended.
"""

import math
import traceback
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from guards.sandboxes.sandbox import SandboxError
from hyperspace.kernel.errors import RunError
from hyperspace.kernel.evaluation.answers import answer_sha256
from hyperspace.kernel.printable_error import printable_error
from hyperspace.models.base import ModelError
from hyperspace.tasks.base import Domain, DomainError, Item
from hyperspace.tasks.shapes.interactive import EpisodeFailed
from hyperspace.tasks.shapes.outcome import INVALID, Outcome, decode_outcome, encode_outcome

_NOT_ITS_OWN: Final = (DomainError, EpisodeFailed, RunError, ModelError, SandboxError)
_PASSED_ON: Final = ("asyncio", "trio", "builtins")  # Ctrl-C, and what ends a task from outside
_UNCOUNTED: Final = "nothing of this generation is counted; mend it, and the same command goes on"
_LONGEST_ID: Final = 80  # characters of an item's id in a sentence


class Calling:
    """A context in which what a domain's code raises becomes one sentence.

    A class, as it is entered twice in every step of an episode.
    """

    __slots__ = ("_domain", "_item", "_method")

    def __init__(self, domain: str, method: str, item: str) -> None:
        """Name what is called.

        Args:
            domain: Name of the domain.
            method: What of it is called.
            item: Id of the item that it is called for, or what else.
        """
        self._domain, self._method, self._item = domain, method, item

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, _type: object, error: BaseException | None, _trace: object) -> None:
        """End.

        Raises:
            DomainError: It raised what it may not raise.
        """
        if error is None or isinstance(error, (*_NOT_ITS_OWN, BaseExceptionGroup)):
            return
        module, _, _ = type(error).__module__.partition(".")
        if isinstance(error, (Exception, SystemExit)) or module not in _PASSED_ON:
            what = f"failed: {_told(error)}"
            raise fault(self._domain, self._method, self._item, what) from error


def fault(domain: str, method: str, item: str, what: str) -> DomainError:
    """Return the error that says what a domain did wrong."""
    named = item if len(item) <= _LONGEST_ID else f"{item[:_LONGEST_ID]}..."
    return DomainError(f"{method} of {domain}, for {named!r}, {what}; {_UNCOUNTED}")


def recorded_outcome(domain: Domain, item: Item, outcome: object, answer: str) -> str:
    """Return the text of an outcome that goes on record, with the hash of its answer.

    Raises:
        DomainError: It is none, its score is not finite or below 0, or it cannot be read again.
    """
    blame = partial(fault, domain.name)
    if not isinstance(outcome, Outcome):
        raise blame("the finding", item.id, f"is {type(outcome).__name__}, not an Outcome")
    hashed = msgspec.structs.replace(outcome, sha256=answer_sha256(answer))
    if type(outcome.score) not in (int, float):
        raise blame("the score", item.id, f"is {outcome.score!r}, which is no number")
    with Calling(domain.name, "the finding", item.id):
        score, text = float(outcome.score), encode_outcome(hashed)
    if not (math.isfinite(score) and score >= 0):
        raise blame("the score", item.id, f"is {score}; a score is finite and 0 or more")
    if decode_outcome(text) is INVALID:
        what = "has a reason that is no text, or details that are neither finite numbers nor texts"
        raise blame("the finding", item.id, what)
    return text


def _told(error: BaseException) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(last.filename).name}, line {last.lineno}"
    return f"{printable_error(f'{type(error).__name__}: {error}')} ({place})"
