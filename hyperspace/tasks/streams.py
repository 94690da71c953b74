"""Random numbers of generated tasks: each part has a stream of its own."""

import random


def stream(domain: str, rows_seed: int, name: str) -> random.Random:
    """Return the random numbers of one part (a split, a kind) of a generated domain."""
    return random.Random(f"{domain}/{rows_seed}/{name}")  # noqa: S311 - data, not secrets
