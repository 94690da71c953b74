"""Draws levels of 40 kinds; whether one can be solved is for `solver` to say.

A kind is a scene with a variant, such as `make_win-distr_rule`. A level is drawn with the objects
ball, key and door in the parts of the first, second and third; `renamed` exchanges them.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

from hyperspace.tasks.streams import stream

STEPS = 100  # of a level
FIRST, SECOND, THIRD = NAMES = ("ball", "key", "door")

Cell = tuple[int, int]
ONE_ROOM, TWO_ROOMS = (8, 8), (13, 9)
DIVIDER = 6  # column of the wall between two rooms
LEFT = tuple(product(range(2, 6), range(3, 6)))
RIGHT = tuple(product(range(7, 11), range(3, 6)))
RIGHT_BELOW = tuple(product(range(7, 11), range(2, 8)))


class Scene(NamedTuple):
    """Where the parts of a kind's levels lie.

    Attributes:
        size: Width and height, the ring of wall included.
        sentences: Rules on the board, with the cell of their first block; all lie in rows.
        loose: A word of which sentence (by its index) is moved where, by the words to pick from.
        blocks: Further words, and the cells that each is drawn from.
        baba: Cells that baba is drawn from.
        objects: Cells that the first object, and the second where there is one, are drawn from.
        corners: Cells that blocks are drawn from which cannot be used there.
        has_second: Whether the second object is there in every variant.
    """

    size: tuple[int, int]
    sentences: tuple[tuple[str, Cell], ...]
    baba: Sequence[Cell]
    objects: Sequence[Cell]
    corners: Sequence[Cell]
    loose: tuple[tuple[int, tuple[int, ...], Sequence[Cell]], ...] = ()
    blocks: tuple[tuple[str, Sequence[Cell]], ...] = ()
    has_second: bool = False


_YOU, _STOP, _WIN = "baba is you", "wall is stop", f"{FIRST} is win"
_ROOM = tuple(product(range(1, 7), range(2, 7)))
_MIDDLE = tuple(product(range(2, 6), range(2, 6)))
_EDGES = (*product((4, 5, 6), (1, 6)), *product((6,), range(2, 6)))
_FAR_EDGES = (*product(range(7, 12), (7,)), *product((11,), range(2, 7)))
_TWO = ((_YOU, (1, 7)), (_STOP, (1, 2)), (_WIN, (9, 1)))
_BROKEN_STOP = (1, (1, 2), LEFT)  # its "is" or its "stop" lies elsewhere
_BROKEN_WIN = (2, (0,), RIGHT)

SCENES: Mapping[str, Scene] = {
    "goto_win": Scene(ONE_ROOM, ((_YOU, (1, 6)), (_WIN, (1, 1))), _ROOM, _ROOM, _EDGES),
    "make_win": Scene(
        ONE_ROOM, ((_YOU, (1, 6)), (_WIN, (1, 1))), _ROOM, _ROOM, _EDGES, ((1, (0,), _MIDDLE),)
    ),
    "two_room-goto_win": Scene(TWO_ROOMS, _TWO, LEFT, LEFT, _FAR_EDGES, (_BROKEN_STOP,)),
    "two_room-break_stop-goto_win": Scene(TWO_ROOMS, _TWO, LEFT, RIGHT_BELOW, _FAR_EDGES),
    "two_room-maybe_break_stop-goto_win": Scene(
        TWO_ROOMS, _TWO, LEFT, LEFT + RIGHT_BELOW, _FAR_EDGES
    ),
    "two_room-make_win": Scene(
        TWO_ROOMS, _TWO, LEFT, LEFT, _FAR_EDGES, (_BROKEN_STOP, _BROKEN_WIN)
    ),
    "two_room-break_stop-make_win": Scene(TWO_ROOMS, _TWO, LEFT, LEFT, _FAR_EDGES, (_BROKEN_WIN,)),
    "two_room-make_you": Scene(
        TWO_ROOMS,
        ((_YOU, (1, 6)), (_STOP, (1, 1)), (_WIN, (9, 1))),
        LEFT,
        RIGHT,
        _FAR_EDGES,
        blocks=((SECOND, tuple(product(range(2, 5), range(3, 6)))),),
        has_second=True,
    ),
    "two_room-make_you-make_win": Scene(
        TWO_ROOMS,
        ((_YOU, (1, 6)), (_STOP, (1, 1)), (_WIN, (9, 1))),
        LEFT,
        RIGHT,
        _FAR_EDGES,
        loose=((2, (2,), tuple(product(range(8, 11), range(3, 6)))),),
        blocks=((SECOND, tuple(product(range(2, 5), range(3, 6)))),),
        has_second=True,
    ),
    "two_room-make_wall_win": Scene(
        TWO_ROOMS,
        ((_YOU, (1, 7)), (_STOP, (2, 2))),
        LEFT,
        (),
        _FAR_EDGES,
        blocks=(("win", LEFT), (THIRD, RIGHT)),
    ),
}

_VARIANTS = (
    "",
    "-distr_obj",
    "-distr_rule",
    "-distr_obj_rule",
    "-distr_obj-irrelevant_rule",
    "-distr_win_rule",
)
_FIVE, _SIX = _VARIANTS[:5], _VARIANTS
KINDS = (
    *(f"goto_win{variant}" for variant in _FIVE),
    *(f"make_win{variant}" for variant in _FIVE),
    *(f"two_room-goto_win{variant}" for variant in _SIX),
    *(f"two_room-break_stop-goto_win{variant}" for variant in _FIVE),
    *(f"two_room-maybe_break_stop-goto_win{variant}" for variant in _FIVE),
    *(f"two_room-make_win{variant}" for variant in _SIX),
    *(f"two_room-break_stop-make_win{variant}" for variant in _FIVE),
    "two_room-make_you",
    "two_room-make_you-make_win",
    "two_room-make_wall_win",
)


def draw_level(kind: str, number: int) -> dict[str, Any]:
    """Draw a level of a kind; it may have no solution.

    Args:
        kind: One of `KINDS`.
        number: Which of its levels; each has a stream of its own.
    """
    name, _, variant = kind.partition("-distr")
    scene, rng = SCENES[name], stream("babaisai", number, kind)
    width, height = scene.size
    ring_free = set(product(range(1, width - 1), range(1, height - 1)))

    def take(cells: Sequence[Cell]) -> list[int]:
        free = [cell for cell in cells if cell in ring_free]
        cell = free[int(rng.random() * len(free))]
        ring_free.remove(cell)
        return list(cell)

    blocks, objects = list[list[Any]](), list[list[Any]]()
    if scene.size == TWO_ROOMS:
        objects += [["wall", *take([(DIVIDER, y)])] for y in range(1, height - 1)]
    sentences = list(scene.sentences)
    if "_win_rule" in variant:
        sentences.append((f"{THIRD} is win", (9, 4)))
    loose = {index: words[int(rng.random() * len(words))] for index, words, _ in scene.loose}
    for index, (sentence, (x, y)) in enumerate(sentences):
        for offset, word in enumerate(sentence.split()):
            if loose.get(index) != offset:
                blocks.append([word, *take([(x + offset, y)])])
    for index, _, cells in scene.loose:
        blocks.append([scene.sentences[index][0].split()[loose[index]], *take(cells)])
    blocks += [[word, *take(cells)] for word, cells in scene.blocks]
    objects.append(["baba", *take(scene.baba)])
    if scene.objects:
        objects.append([FIRST, *take(scene.objects)])
        if scene.has_second or "_obj" in variant:
            objects.append([SECOND, *take(scene.objects)])
    if "irrelevant_rule" in variant:
        blocks.append([THIRD, *take(scene.corners)])
    elif variant in ("_rule", "_obj_rule"):
        blocks.append([SECOND, *take(scene.corners)])
    return {
        "kind": kind,
        "width": width,
        "height": height,
        "blocks": blocks,
        "objects": objects,
        "cap": STEPS,
    }


def renamed(level: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Put other names in place of the three objects'; what solves a level solves it still."""
    other = dict(zip(NAMES, names, strict=True))
    return level | {
        part: [[other.get(word, word), x, y] for word, x, y in level[part]]
        for part in ("blocks", "objects")
    }
