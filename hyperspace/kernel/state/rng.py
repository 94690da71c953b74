"""All randomness of a run: one seed, named streams (docs/reference/determinism.md, Clock and ids).

Streams with different names are independent; a stream's numbers do not depend on what other
streams were asked for, so a resumed run draws what the undisturbed one would have drawn.
"""

import hashlib
import random


def derive_seed(seed: int, *names: object) -> int:
    """Derive a non-negative 31-bit seed, small enough for every provider's `seed` parameter."""
    return _number(seed, names) & 0x7FFFFFFF


def stream(seed: int, *names: object) -> random.Random:
    """Open the stream of random numbers that goes by these names."""
    return random.Random(_number(seed, names))  # noqa: S311  reproducible on purpose


def _number(seed: int, names: tuple[object, ...]) -> int:
    text = "\x1f".join([str(seed), *map(str, names)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
