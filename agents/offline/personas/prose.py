"""Code that a persona writes out of its own head: functions that mean nothing and are its own."""

import random
from collections.abc import Iterator

_VERBS = ("weigh", "fold", "scale", "clip", "blend", "shift", "mix", "damp", "lift", "trace")
_NOUNS = ("signal", "margin", "figure", "balance", "feature", "score", "total", "share", "gap")


def functions(seed: int, count: int) -> str:
    """Some functions that nothing calls: equal seeds give equal text, other seeds share no line."""
    return "".join(f"\n\n{text}" for text in _functions(seed, count))


def _functions(seed: int, count: int) -> Iterator[str]:
    rng = random.Random(seed)  # noqa: S311 - words, no secret
    for _ in range(count):
        verb, noun, mark = rng.choice(_VERBS), rng.choice(_NOUNS), rng.randrange(16**6)
        low, high, slope = (round(rng.uniform(0.1, 9.9), 3) for _ in range(3))
        yield (
            f"def {verb}_{noun}_{mark:06x}({noun}):\n"
            f'    """{verb.capitalize()} one {noun}, number {mark}."""\n'
            f"    {noun}_{mark:06x} = {slope} * {noun} + {low}\n"
            f"    return min({high}, {noun}_{mark:06x})\n"
        )
