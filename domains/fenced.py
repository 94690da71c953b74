"""Marks a text as data in a question to a judge, so that no text can close its own mark."""

import hashlib


def fence(kind: str, text: str) -> str:
    """Return the line that stands before and after a text; it holds the text's own hash.

    Args:
        kind: What the text is, such as proof.
        text: The text.
    """
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"-----{kind}-{digest}-----"
