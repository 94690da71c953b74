"""Keys are taken as they come; only the beginning of their hash is kept."""

import hashlib
from collections.abc import Mapping
from typing import Final

NO_KEY: Final = "none"
_HEX_DIGITS: Final = 12


def key_hash(headers: Mapping[str, str]) -> str:
    """Name the key of a request: the first digits of its SHA-256, or `none`."""
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    key = headers.get("x-api-key", "") or (bearer.strip() if scheme.lower() == "bearer" else "")
    return hashlib.sha256(key.encode()).hexdigest()[:_HEX_DIGITS] if key else NO_KEY
