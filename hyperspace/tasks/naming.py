"""Distinct names, for parts of a task as for agents of a run."""

from collections import Counter
from collections.abc import Iterable
from string import ascii_lowercase


def dedupe_names(names: Iterable[str]) -> tuple[str, ...]:
    """Add `_b`, `_c` and so on to names that come again; after `_z` comes `_aa`."""
    seen: Counter[str] = Counter()
    distinct: list[str] = []
    for name in names:
        distinct.append(f"{name}_{_letters(seen[name])}" if seen[name] else name)
        seen[name] += 1
    return tuple(distinct)


def _letters(number: int) -> str:
    """0 is a, 25 is z, 26 is aa."""
    more, last = divmod(number, 26)
    return (_letters(more - 1) if more else "") + ascii_lowercase[last]
