"""How often each request was tried since it was last answered."""

from collections import OrderedDict
from typing import Final, NamedTuple

REMEMBERED: Final = 100_000


class RequestKey(NamedTuple):
    """The key by which two tries are the same request.

    Attributes:
        key: Hash of the key that it was sent with: other keys are other clients.
        digest: Hash of the canonical request.
    """

    key: str
    digest: str


class Attempts:
    """Counts tries; forgets a request that was answered, and the oldest of too many."""

    def __init__(self) -> None:
        self._tries: OrderedDict[RequestKey, int] = OrderedDict()

    def begin(self, request: RequestKey) -> int:
        """Count a try; the first one since the last answer is 0."""
        attempt = self._tries.get(request, 0)
        self._tries[request] = attempt + 1
        if len(self._tries) > REMEMBERED:
            self._tries.popitem(last=False)
        return attempt

    def answered(self, request: RequestKey) -> None:
        """Forget a request's tries."""
        self._tries.pop(request, None)
