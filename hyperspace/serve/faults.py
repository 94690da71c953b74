"""Faults on demand: which request meets which fault, decided by hashes and never by the clock.

Kinds: an HTTP status (`429`, `500`, `529`, any from 400 to 599), or

- `cut`: the connection ends in the middle of the body or stream
- `malformed`: broken JSON
- `slow`: the bytes drip in
- `hang`: no answer at all, for as long as the client waits
- `null_ids`: ids of reply and tool calls are null
- `empty`: a reply that holds no choice, or no content
- `no_finish`: no reason to stop; a stream ends early, in good order
- `stream_error`: an error in the middle of a stream, or in place of a body with status 200
- `overflow`: the refusal of a conversation that is too long
"""

import hashlib
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

import msgspec

from guards.parsing import parse_toml
from guards.scope.regular_files import Unreadable, read_given
from hyperspace.serve.errors import BadFaults

KINDS: Final = (
    "cut",
    "malformed",
    "slow",
    "hang",
    "null_ids",
    "empty",
    "no_finish",
    "stream_error",
    "overflow",
)
COMPLETED: Final = ("slow", "null_ids")  # the reply arrives all the same
IN_A_ROW: Final = 3


class FaultRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a script: the first requests that match meet a fault.

    Attributes:
        fault: What they meet.
        first: How many.
        model: Pattern of model names that it is about, as in a shell.
        each: Counts tries of each request by itself, not requests of all clients together.
    """

    fault: str
    first: int = 1
    model: str = "*"
    each: bool = False


class FaultFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fault file (TOML).

    Attributes:
        rates: Fault to share of requests that meet it.
        rules: Script; it goes before the rates. Of several rules that match, the first that is
            not used up counts.
        in_a_row: At most so many faults by rate before a request is answered.
    """

    rates: dict[str, float] = {}
    rules: tuple[FaultRule, ...] = ()
    in_a_row: int = IN_A_ROW


class Faults:
    """Chooses the fault of each request.

    By rate, the choice is a function of seed, request and try, so it is the same at any speed and
    in any order. A request that met `in_a_row` faults since it was last answered meets no other.
    """

    def __init__(
        self,
        rates: Mapping[str, float] | None = None,
        rules: Sequence[FaultRule] = (),
        seed: int = 0,
        in_a_row: int = IN_A_ROW,
    ) -> None:
        """Check what is asked for.

        Raises:
            BadFaults: A fault is unknown, or a number does not fit.
        """
        self._rates = dict(sorted((rates or {}).items()))
        self._rules = tuple(rules)
        self._left = [rule.first for rule in rules]
        self._seed = seed
        self._in_a_row = in_a_row
        self._check()

    def choose(self, model: str, request: str, attempt: int) -> str | None:
        """Choose a fault for one try of a request, None for none.

        Args:
            model: The model that is asked.
            request: Hash of the canonical request.
            attempt: How often it was tried since it was last answered.
        """
        return self._by_rule(model, attempt) or self._by_rate(request, attempt)

    def _by_rule(self, model: str, attempt: int) -> str | None:
        tries_left = attempt
        for index, rule in enumerate(self._rules):
            if not fnmatchcase(model, rule.model):
                continue
            if rule.each and tries_left < rule.first:
                return rule.fault
            if rule.each:
                tries_left -= rule.first
            elif self._left[index]:
                self._left[index] -= 1
                return rule.fault
        return None

    def _by_rate(self, request: str, attempt: int) -> str | None:
        if attempt >= self._in_a_row:
            return None
        drawn = fraction(self._seed, "fault", request, attempt)
        for kind, rate in self._rates.items():
            drawn -= rate
            if drawn < 0:
                return kind
        return None

    def _check(self) -> None:
        for kind in [*self._rates, *(rule.fault for rule in self._rules)]:
            _check_kind(kind)
        for kind, rate in self._rates.items():
            if not 0 <= rate <= 1:
                raise BadFaults(f"fault {kind}={rate:g}: a rate is a number from 0 to 1")
        if sum(self._rates.values()) > 1 + 1e-9:
            raise BadFaults("the rates of all faults together pass 1")
        if self._in_a_row < 0 or any(rule.first < 0 for rule in self._rules):
            raise BadFaults("in_a_row and first are counts; use 0 or a positive number")


def read_fault_file(path: Path) -> FaultFile:
    """Read a fault file.

    Raises:
        BadFaults: It cannot be read, or is not a fault file.
    """
    try:
        return msgspec.convert(parse_toml(read_given(path)), FaultFile)
    except (Unreadable, ValueError) as error:
        raise BadFaults(
            f"cannot read the fault file {path} ({error}); expected TOML like "
            '`rates = {429 = 0.1}` and `rules = [{fault = "cut", first = 2}]`'
        ) from error


def parse_rate(text: str) -> tuple[str, float]:
    """Read `KIND=RATE`.

    Raises:
        BadFaults: It is malformed, or there is no such fault.
    """
    kind, _, rate = text.partition("=")
    _check_kind(kind)
    try:
        return kind, float(rate)
    except ValueError:
        raise BadFaults(f"fault {text!r} has no rate; write it like {kind}=0.1") from None


def fraction(seed: int, purpose: str, request: str, attempt: int) -> float:
    """Draw a number in [0, 1) that depends on the arguments alone."""
    text = f"{seed} {purpose} {request} {attempt}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6]) / 2**48


def _check_kind(kind: str) -> None:
    is_status = kind.isdecimal() and len(kind) == 3 and kind[0] in "45"
    if not is_status and kind not in KINDS:
        raise BadFaults(
            f"no fault is called {kind!r}; there are statuses from 400 to 599 (429, 500, 529), "
            f"and {', '.join(KINDS)}"
        )
