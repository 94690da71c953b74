"""How a model server behaves beside answering: faults, latency, pauses, keys."""

from typing import NamedTuple

from hyperspace.serve.errors import BadFaults
from hyperspace.serve.faults import Faults, fraction


class Latency(NamedTuple):
    """How long an answer takes, from the last byte of its request on.

    Attributes:
        low_ms: Shortest time until it is sent, in milliseconds.
        high_ms: Longest time, but for an answer that takes longer to be found.
    """

    low_ms: float = 0.0
    high_ms: float = 0.0

    def of(self, seed: int, request: str, attempt: int) -> float:
        """Time of one try in seconds: a function of the arguments alone."""
        share = fraction(seed, "latency", request, attempt)
        return (self.low_ms + share * (self.high_ms - self.low_ms)) / 1000


class Behaviour(NamedTuple):
    """Everything that is not an answer.

    Attributes:
        faults: Which requests meet which fault.
        latency: How long an answer takes.
        seed: Decides the latency of each try.
        retry_after_s: What a 429 asks for, in seconds.
        slow_s: How long a slow answer drips.
        require_key: Whether a request without a key is refused.
    """

    faults: Faults
    latency: Latency = Latency()
    seed: int = 0
    retry_after_s: float = 1.0
    slow_s: float = 1.0
    require_key: bool = False


def parse_latency(text: str) -> Latency:
    """Read `LOW..HIGH` or one number, in milliseconds.

    Raises:
        BadFaults: It is neither.
    """
    low, dots, high = text.partition("..")
    try:
        latency = Latency(float(low), float(high if dots else low))
    except ValueError:
        latency = Latency(-1)
    if not 0 <= latency.low_ms <= latency.high_ms < float("inf"):
        raise BadFaults(f"latency {text!r} makes no sense; write it like 50..200, or 50")
    return latency
