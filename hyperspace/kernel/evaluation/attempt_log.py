"""The log of one attempt: model calls that were finished, what brokers refused, what time ended.

Sandboxes that work side by side write here in whatever order; what is read is in an order of its
own.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

from hyperspace.broker.refusal import BrokerRefusal
from hyperspace.kernel.state.manifest import SandboxRequest, Timeout

Work = tuple[str, str]
"""What a call is for: purpose (`modify`, `gate`, or the split) and item."""


def item_label(*parts: str) -> str:
    """Name an item in the traces, so that calls of candidates and passes do not mix.

    Args:
        parts: Role of the candidate, name of the pass (`evaluate.pass_names`), the item's id; empty
            ones do not count.
    """
    return "/".join(filter(None, parts))


class AttemptLog:
    """The finished calls of an attempt, the requests that were refused, and the timeouts.

    Attributes:
        timeouts: Wall-clock limits that ended a sandbox so far.
    """

    def __init__(self) -> None:
        self.timeouts: list[Timeout] = []
        self._requests: Counter[Work] = Counter()
        self._calls: list[dict[str, Any]] = []
        self._counts: Counter[Work] = Counter()
        self._refusals: list[BrokerRefusal] = []

    def add_call(self, sealed: dict[str, Any]) -> None:
        """Take in a finished call (`hyperspace.tracing.calls.sealed_call`)."""
        self._calls.append(sealed)
        self._counts[sealed["purpose"], sealed["item"]] += 1

    def add_refusals(self, refusals: Iterable[BrokerRefusal]) -> None:
        """Take in what one broker refused, in order."""
        self._refusals.extend(refusals)

    def count(self, work: Work) -> int:
        """How many calls were finished for a purpose and item, whether they count or not."""
        return self._counts[work]

    def next_request(self, work: Work) -> SandboxRequest:
        """Name the next request to a sandbox for a purpose and item."""
        ordinal = self._requests[work]
        self._requests[work] += 1
        return SandboxRequest(*work, ordinal)

    def settle(self, counted: Sequence[Work], dropped: Sequence[Work]) -> None:
        """Put what was refused for some work in order, and leave out what belongs to other work.

        Args:
            counted: Work that counts, in order; all that was refused since is for it or dropped.
            dropped: Work that does not count.
        """
        ranks, gone = {work: rank for rank, work in enumerate(counted)}, set(dropped)
        kept = [refusal for refusal in self._refusals if _work(refusal) not in gone]
        ours = [refusal for refusal in kept if _work(refusal) in ranks]
        others = [refusal for refusal in kept if _work(refusal) not in ranks]
        self._refusals = [*others, *sorted(ours, key=lambda refusal: ranks[_work(refusal)])]
        self._calls = [call for call in self._calls if (call["purpose"], call["item"]) not in gone]

    def calls(self) -> tuple[dict[str, Any], ...]:
        """Calls that count, ordered by purpose, item and ordinal."""
        return tuple(sorted(self._calls, key=itemgetter("purpose", "item", "ordinal")))

    def refusals(self) -> tuple[BrokerRefusal, ...]:
        """Refusals that count, in the order of the steps and of the items."""
        return tuple(self._refusals)


def _work(refusal: BrokerRefusal) -> Work:
    return refusal.purpose, refusal.item
