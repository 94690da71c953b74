"""How far a text went from one version to another, in the blocks that it is made of.

A block is what stands between two blank lines: a function, a class, the head of a file. This is a
taker's own account of what it took, made of whole blocks, not of what characters have in common.
"""

from collections import Counter
from difflib import SequenceMatcher

_BETWEEN = "\n\n\n"


def mixture(own: str, peer: str, share: float) -> str:
    """The own text with as many of the places where the peer differs as come nearest to a share.

    Places are taken in order, and measured in bytes: what would go and what would come.
    """
    mine, theirs = own.split(_BETWEEN), peer.split(_BETWEEN)
    steps = _steps(mine, theirs)
    wanted = share * sum(_size(old) + _size(new) for old, new in steps if old != new)
    mixed: list[str] = []
    taken = 0
    for old, new in steps:
        cost = _size(old) + _size(new) if old != new else 0
        is_taken = cost > 0 and taken + cost / 2 <= wanted
        taken += cost if is_taken else 0
        mixed += new if is_taken else old
    return _BETWEEN.join(mixed)


def way(before: str, after: str, goal: str) -> int | None:
    """How many percent of the way to a goal a text went; None if there was no way to go.

    The way still to go counts in full, also what the text went past the goal.
    """
    gone, left = _apart(before, after), _apart(after, goal)
    return round(100 * gone / (gone + left)) if gone + left else None


def _steps(mine: list[str], theirs: list[str]) -> list[tuple[list[str], list[str]]]:
    """Equal runs of blocks, and single blocks that differ: what goes and what comes."""
    steps: list[tuple[list[str], list[str]]] = []
    for kind, a, b, c, d in SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes():
        old, new = mine[a:b], theirs[c:d]
        if kind == "equal":
            steps.append((old, new))
            continue
        longest = max(len(old), len(new))
        steps += [(old[i : i + 1], new[i : i + 1]) for i in range(longest)]
    return steps


def _apart(text: str, other: str) -> int:
    ours, theirs = Counter(text.split(_BETWEEN)), Counter(other.split(_BETWEEN))
    return _size([*(ours - theirs).elements(), *(theirs - ours).elements()])


def _size(blocks: list[str]) -> int:
    return sum(len(block.encode()) for block in blocks)
