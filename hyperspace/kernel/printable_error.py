"""What code that nobody trusts has said, made fit for records and terminals.

The host cuts it, because bounds inside a sandbox are the candidate's to lift; takes out what would
steer a terminal; and masks addresses, which differ between equal runs.
"""

import re

LONGEST = 500
_ADDRESS = re.compile(r"0x[0-9a-fA-F]{4,}")
_TAIL = re.compile(r"; last output: .*", re.DOTALL)


def printable_error(text: str) -> str:
    """One printable line of at most 500 characters, equal for equal runs."""
    line = _ADDRESS.sub("0x...", _TAIL.sub("", text[: 10 * LONGEST]))
    clean = "".join(c if c.isprintable() else " " for c in line)
    return " ".join(clean.split())[:LONGEST]
