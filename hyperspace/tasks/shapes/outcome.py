"""What the host found out about one answer; it goes on record in place of the answer's text.

An answer may be a program of 600 kB or a game of 300 moves. The record keeps the score, one line
that says why, and the hash of the answer; the answers lie in a file beside.
"""

from collections.abc import Mapping

import msgspec

from guards.parsing import decode_json

LONGEST_REASON = 300  # characters
_ENCODER = msgspec.json.Encoder(order="deterministic")


class Outcome(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The host's finding about one answer.

    Attributes:
        score: Finite, 0 or more, higher is better; a missing or invalid answer has 0.
        reason: One line for people and agents: why it is this score ("circles 3 and 7 overlap").
        sha256: Hash of the answer in UTF-8; of an episode, of its actions, one a line. Set by the
            evaluation, not by domains.
        details: Figures behind the score, such as steps or a ratio; few, and short.
    """

    score: float
    reason: str = ""
    sha256: str = ""
    details: Mapping[str, float | int | str] = {}


INVALID = Outcome(0.0, "no outcome is on record")


def encode_outcome(outcome: Outcome) -> str:
    """Return the canonical text of an outcome."""
    reason = outcome.reason[:LONGEST_REASON]
    return _ENCODER.encode(msgspec.structs.replace(outcome, reason=reason)).decode()


def decode_outcome(text: str) -> Outcome:
    """Read an outcome; `INVALID` for what is none."""
    try:
        return decode_json(text, Outcome)
    except msgspec.DecodeError:
        return INVALID
