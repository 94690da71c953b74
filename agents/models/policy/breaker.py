"""Whether a provider is asked at all: after failures in a row it is left alone for a while."""

from typing import Final, Literal

from agents.models.policy.clock import Clock

FAILURES: Final = 5
FIRST_REST_S: Final = 5.0
LONGEST_REST_S: Final = 60.0
LOOK_AGAIN_S: Final = 1.0

Admission = Literal["no", "yes", "probe"]


class Breaker:
    """Opens after failures in a row; then one call at a time finds out whether it may close.

    Each failed attempt doubles the rest, up to a minute.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failures = 0
        self._rest_s = 0.0
        self._try_at = float("-inf")
        self._trying = False

    @property
    def is_open(self) -> bool:
        """True while calls have to wait."""
        return self._rest_s > 0

    async def admits(self, deadline: float) -> Admission:
        """Wait until a call may be made; `no` if that is not before the deadline."""
        while self.is_open:
            wait_s = self._try_at - self._clock.now()
            if wait_s <= 0 and not self._trying:
                self._trying = True
                return "probe"
            pause_s = max(wait_s, LOOK_AGAIN_S)
            if self._clock.now() + pause_s > deadline:
                return "no"
            await self._clock.sleep(pause_s)
        return "yes"

    def answered(self) -> None:
        """Close: the provider has answered, if only to refuse."""
        self._failures, self._rest_s = 0, 0.0

    def failed(self, admission: Admission = "yes") -> None:
        """Count a failure; open, or stay open for longer, when there were enough."""
        self._failures += 1
        self.left(admission)
        if admission == "probe" or (not self.is_open and self._failures >= FAILURES):
            self._rest_s = min(LONGEST_REST_S, 2 * self._rest_s or FIRST_REST_S)
            self._try_at = self._clock.now() + self._rest_s

    def left(self, admission: Admission) -> None:
        """A call ended: after one that was to find out, another one may."""
        if admission == "probe":
            self._trying = False
