"""What changed between two texts: line by line, and word by word within changed lines.

The shortest edit script by Myers (An O(ND) Difference Algorithm, 1986), with a bound on the work:
texts of agents are hostile, and whoever looks at them must not wait. What lies beyond the bound is
shown as taken out and put in whole.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

MOST_LINES: Final = 20_000  # of each text
MOST_LINE_CHARACTERS: Final = 2_000
MOST_STEPS: Final = 400_000  # of comparing lines: about half a second
MOST_WORD_STEPS: Final = 200_000  # of comparing words, in all changed lines together
_WORD: Final = re.compile(r"\w{1,200}|\s{1,200}|[^\w\s]")
# Two lines of which less is equal are not told as one line that changed.
_ALIKE: Final = 0.4


class Piece(NamedTuple):
    """A part of a line.

    Attributes:
        text: What stands there.
        is_changed: Whether the other line has something else there.
    """

    text: str
    is_changed: bool


class ChangedLine(NamedTuple):
    """A line of one of the texts, or of both.

    Attributes:
        kind: In both texts, in the first alone, or in the second alone.
        before: Its number in the first text from 1; None if it is not there.
        after: The same in the second text.
        pieces: The line; equal lines are one piece. A long one is cut.
    """

    kind: Literal["same", "removed", "added"]
    before: int | None
    after: int | None
    pieces: tuple[Piece, ...]


class TextChanges(NamedTuple):
    """What changed between two texts.

    Attributes:
        lines: All lines, in order: what was removed stands before what was added.
        left_out: Lines of both texts that were not looked at, as there are too many.
        is_coarse: Whether the work was bounded, so that equal lines may be told as changed.
    """

    lines: tuple[ChangedLine, ...]
    left_out: int
    is_coarse: bool

    @property
    def added(self) -> int:
        """Lines of the second text alone."""
        return sum(line.kind == "added" for line in self.lines)

    @property
    def removed(self) -> int:
        """Lines of the first text alone."""
        return sum(line.kind == "removed" for line in self.lines)


class _Block(NamedTuple):
    """Equal parts: `size` elements from `before` and from `after`."""

    before: int
    after: int
    size: int


class _Steps:
    """Counts down what work may still be done."""

    def __init__(self, most: int) -> None:
        self.left = most


def text_changes(before: str, after: str) -> TextChanges:
    """Compare two texts."""
    old, new = before.splitlines(), after.splitlines()
    left_out = max(0, len(old) - MOST_LINES) + max(0, len(new) - MOST_LINES)
    old, new = old[:MOST_LINES], new[:MOST_LINES]
    steps, word_steps = _Steps(MOST_STEPS), _Steps(MOST_WORD_STEPS)
    lines: list[ChangedLine] = []
    at_old = at_new = 0
    for block in (*_equal_blocks(old, new, steps), _Block(len(old), len(new), 0)):
        lines += _changed(
            old[at_old : block.before], new[at_new : block.after], at_old, at_new, word_steps
        )
        lines += (
            ChangedLine(
                "same",
                block.before + at + 1,
                block.after + at + 1,
                (Piece(_cut(old[block.before + at]), False),),
            )
            for at in range(block.size)
        )
        at_old, at_new = block.before + block.size, block.after + block.size
    return TextChanges(tuple(lines), left_out, steps.left <= 0)


def _changed(
    old: Sequence[str], new: Sequence[str], at_old: int, at_new: int, steps: _Steps
) -> Iterator[ChangedLine]:
    """Tell lines that were replaced; those at equal places are compared word by word."""
    paired = [_words_changed(_cut(a), _cut(b), steps) for a, b in zip(old, new, strict=False)]
    for at, line in enumerate(old):
        pieces = paired[at][0] if at < len(paired) else (Piece(_cut(line), False),)
        yield ChangedLine("removed", at_old + at + 1, None, pieces)
    for at, line in enumerate(new):
        pieces = paired[at][1] if at < len(paired) else (Piece(_cut(line), False),)
        yield ChangedLine("added", None, at_new + at + 1, pieces)


def _words_changed(
    old: str, new: str, steps: _Steps
) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return both lines in pieces; each in one where they have little in common."""
    whole = ((Piece(old, False),), (Piece(new, False),))
    if steps.left <= 0:
        return whole
    words_old, words_new = _WORD.findall(old), _WORD.findall(new)
    blocks = _equal_blocks(words_old, words_new, steps)
    equal = sum(
        len("".join(words_old[block.before : block.before + block.size]).strip())
        for block in blocks
    )
    if equal < _ALIKE * max(len(old.strip()), len(new.strip())):
        return whole
    return (
        tuple(_pieces(words_old, [(block.before, block.size) for block in blocks])),
        tuple(_pieces(words_new, [(block.after, block.size) for block in blocks])),
    )


def _pieces(words: Sequence[str], equal: Sequence[tuple[int, int]]) -> Iterator[Piece]:
    at = 0
    for start, size in (*equal, (len(words), 0)):
        if at < start:
            yield Piece("".join(words[at:start]), True)
        if size:
            yield Piece("".join(words[start : start + size]), False)
        at = start + size


def _equal_blocks(old: Sequence[str], new: Sequence[str], steps: _Steps) -> list[_Block]:
    """Return what two sequences have in common, in order; less of it beyond the bound."""
    head = 0
    most = min(len(old), len(new))
    while head < most and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < most - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    inner_old, inner_new = old[head : len(old) - tail], new[head : len(new) - tail]
    inner = _common(inner_old, inner_new, steps)
    blocks = [
        _Block(0, 0, head),
        *(_Block(head + block.before, head + block.after, block.size) for block in inner),
        _Block(len(old) - tail, len(new) - tail, tail),
    ]
    return [block for block in blocks if block.size]


def _common(old: Sequence[str], new: Sequence[str], steps: _Steps) -> Iterator[_Block]:
    """The same without the elements that only one of them has, which only cost work."""
    in_old, in_new = set(old), set(new)
    places_old = [at for at, element in enumerate(old) if element in in_new]
    places_new = [at for at, element in enumerate(new) if element in in_old]
    both = _shortest_script([old[at] for at in places_old], [new[at] for at in places_new], steps)
    for block in both:
        for at in range(block.size):
            yield _Block(places_old[block.before + at], places_new[block.after + at], 1)


def _shortest_script(old: Sequence[str], new: Sequence[str], steps: _Steps) -> list[_Block]:
    """Myers' greedy algorithm: furthest reaching paths by diagonal, then back along the best."""
    furthest = {1: 0}
    passed: list[dict[int, int]] = []
    for edits in range(len(old) + len(new) + 1):
        passed.append(dict(furthest))
        for diagonal in range(-edits, edits + 1, 2):
            at = _start(furthest, diagonal, edits)
            begin = at
            while at < len(old) and at - diagonal < len(new) and old[at] == new[at - diagonal]:
                at += 1
            furthest[diagonal] = at
            steps.left -= 1 + (at - begin)
            if at >= len(old) and at - diagonal >= len(new):
                return _back(passed, len(old), len(new))
        steps.left -= len(furthest) // 8  # the copy
        if steps.left <= 0:
            return []
    return []


def _start(furthest: dict[int, int], diagonal: int, edits: int) -> int:
    """Where a path begins on a diagonal after one more edit."""
    below, above = furthest.get(diagonal - 1, -1), furthest.get(diagonal + 1, -1)
    if diagonal == -edits or (diagonal != edits and below < above):
        return above
    return below + 1


def _back(passed: Sequence[dict[int, int]], before: int, after: int) -> list[_Block]:
    blocks: list[_Block] = []
    for edits in range(len(passed) - 1, -1, -1):
        diagonal = before - after
        begin = _start(passed[edits], diagonal, edits)
        if before > begin:
            blocks.append(_Block(begin, begin - diagonal, before - begin))
        down = diagonal == -edits or (
            diagonal != edits
            and passed[edits].get(diagonal - 1, -1) < passed[edits].get(diagonal + 1, -1)
        )
        before = begin if down else begin - 1
        after = begin - diagonal - 1 if down else begin - diagonal
    return blocks[::-1]


def _cut(line: str) -> str:
    if len(line) <= MOST_LINE_CHARACTERS:
        return line
    return f"{line[:MOST_LINE_CHARACTERS]}… ({len(line)} characters)"
