"""Lines of a ledger (docs/reference/spending.md): reserved before a call, settled after it."""

from typing import Annotated, Final, NamedTuple

import msgspec

FORMAT: Final = 2
Count = Annotated[int, msgspec.Meta(ge=0)]
Amount = Annotated[float, msgspec.Meta(ge=0)]
"""No line gives anything back, whoever wrote it: that would lift a limit."""


class Account(NamedTuple):
    """Who pays, and for what.

    Attributes:
        agent: Who asks.
        generation: In which generation; the number after the last one is the final evaluation.
        purpose: `modify`, `gate`, or the split that is evaluated.
        call_id: The call's name within its trace.
        model: Name that the model is asked for by; filled in by its meter.
    """

    agent: str
    generation: int
    purpose: str
    call_id: str
    model: str = ""


class _Line(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"
):
    pass


class LedgerHead(_Line, frozen=True, tag="ledger"):
    """The first line: which form the others have."""

    format: int


class AccountedCall(_Line, frozen=True):
    """An attempt at a call; the other fields are `Account`'s.

    Attributes:
        id: Names the reservation among those of all coordinators; the line that ends it names it
            too.
    """

    id: str
    agent: str
    generation: int
    purpose: str
    call_id: str
    model: str


class ReservedCall(AccountedCall, frozen=True, tag="reserved"):
    """Written before an attempt that a provider may bill.

    Attributes:
        prompt_tokens: Upper bound on the tokens sent.
        completion_tokens: Upper bound on the tokens received; sent along as max_tokens.
        cost_usd: Upper bound on the price; None if no price is known.
        reserved_utc: When, ISO 8601.
    """

    prompt_tokens: Count
    completion_tokens: Count
    cost_usd: Amount | None
    reserved_utc: str


class SettledCall(AccountedCall, frozen=True, tag="settled"):
    """A reply came back: what the call really took.

    Attributes:
        prompt_tokens: Tokens sent.
        completion_tokens: Tokens received.
        cached_tokens: Part of the tokens sent that came from the provider's cache.
        cache_write_tokens: Part of the tokens sent that went into it.
        reasoning_tokens: Part of the tokens received that is reasoning.
        cost_usd: The price; None if it is not known.
        ended_utc: When the reply came, ISO 8601.
    """

    prompt_tokens: Count
    completion_tokens: Count
    cached_tokens: Count
    cache_write_tokens: Count
    reasoning_tokens: Count
    cost_usd: Amount | None
    ended_utc: str


class ReleasedCall(_Line, frozen=True, tag="released"):
    """The attempt was certainly not billed: nothing was sent, or the provider refused it."""

    id: str
    ended_utc: str


class UnreadableCall(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="unreadable", tag_field="kind"
):
    """A reply came that cannot be read: what it took, as estimated by its length.

    Attributes:
        id: Names the reservation.
        prompt_tokens: Tokens sent.
        completion_tokens: Tokens received.
        cost_usd: The price of these; None if it is not known.
        ended_utc: When the reply came, ISO 8601.
    """

    id: str
    prompt_tokens: Count
    completion_tokens: Count
    cost_usd: Amount | None
    ended_utc: str


class Worked(_Line, frozen=True, tag="worked"):
    """A coordinator was at work for some seconds more."""

    seconds: Amount
    until_utc: str


Line = LedgerHead | ReservedCall | SettledCall | ReleasedCall | UnreadableCall | Worked
