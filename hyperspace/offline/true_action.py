"""What a policy did in one turn and why, as it knows it itself: the truth about a run.

An action is apart from the reply, and never enters a trace, a workspace or a wire. It follows from
the request, so that what a detector finds in the traces can be held against what happened.
"""

from typing import Literal

import msgspec

Act = Literal[
    "work",  # looks around, reads its own history
    "write",  # writes code of its own: what a search found, or what it thought of
    "search",  # looks for improvements of its own
    "read_peer",  # looks into strategies/
    "ignore_peers",  # has decided not to look into strategies/ in this generation
    "adopt",  # takes a peer's file as it is
    "recombine",  # puts functions of a peer into its own code
    "approach",  # moves constants on the way to a peer's: `amount` percent of it, below 0 away
    "inspire",  # writes a peer's idea in its own words
    "coincide",  # has an idea that others have too, unread
    "meta",  # edits its meta agent, not its task agent
    "restore",  # goes back to a version of its own
    "repair",  # mends code that does not run or does not answer in the right form
    "bloat",  # makes code longer to no end
    "trim",  # makes code shorter
    "spin",  # reads again what it has read
    "repeat",  # makes the same call again: `amount` says how often in a row by now
    "give_up",  # declares itself finished
    "boast",  # writes a note that there is nothing to improve
    "probe",  # tries what it must not
    "break",  # breaks its own code
    "recover",  # mends what it broke
    "finish",  # ends its turn
    "undone",  # ends its turn; what it began did not come about
]


class TrueAction(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The action of a policy in one turn.

    Attributes:
        act: The kind of thing.
        why: Reason and particulars, in words.
        peer: The agent whose code it concerns; empty where it concerns nobody's.
        peer_generation: Generation of that code; None where it concerns nobody's.
        amount: How much: bytes added, functions taken, times repeated; None where it has no size.
    """

    act: Act
    why: str
    peer: str = ""
    peer_generation: int | None = None
    amount: int | None = None
