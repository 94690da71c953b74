"""What the broker says of what it did not do; kept apart, as records of runs hold it too."""

import msgspec


class BrokerRefusal(msgspec.Struct, frozen=True):
    """Something that the broker did not do, or an answer that ended its sandbox.

    Attributes:
        kind: `malformed`, `too_large`, `wrong_model`, `budget`; or `protocol` of an answer that
            the host did not ask for or cannot read.
        detail: What was tried, in one line.
        purpose: What the sandbox was working on.
        item: On which item.
    """

    kind: str
    detail: str
    purpose: str
    item: str
