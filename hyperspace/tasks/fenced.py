"""Marks texts of others as data in a prompt, so that no text can close its own mark."""

import hashlib


def fence(kind: str, text: str) -> str:
    """Return the line that stands before and after a text; it holds the text's own hash.

    Args:
        kind: What the text is, such as proof.
        text: The text.
    """
    return f"-----{kind}-{code_of(text)}-----"


def code_of(*texts: str) -> str:
    """Return 16 hexadecimal characters that none of the texts can hold, by design.

    They are a hash of all of them, so that a text which held them would have to hold its own. The
    same texts have the same code, also when a run is played again.
    """
    whole = "\0".join(texts).encode("utf-8", "surrogatepass")
    return hashlib.sha256(whole).hexdigest()[:16]
