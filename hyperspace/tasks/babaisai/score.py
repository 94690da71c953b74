"""The rules of the puzzle, and the score of a level: the same code plays on the host and here.

`play(inputs, agent)` plays the level of a train item with `agent.forward(observation)`, which
returns a pair of an action and anything, and returns the item's score.

A rule is three blocks in a row (read to the right) or a column (read down): an object, `is`, and a
property or another object. Blocks are pushed by what walks; objects are walked over, unless their
kind is stop. A ring of wall, which is no object, stands around the board.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

OBJECTS = ("ball", "key", "door", "wall", "baba")
PROPERTIES = ("you", "win", "stop")
ACTIONS = ("idle", "up", "right", "down", "left")
LONGEST_ACTION = 20  # characters; what is longer is no action
INSTRUCTION = "Step with something that is you onto something that is win."


class BabaSituation(NamedTuple):
    """What changes while a level is played; a cell is `x + width * y`.

    Attributes:
        blocks: Where each block lies, in the order of the level's words.
        kinds: What kind each object is.
        cells: Where each object is.
    """

    blocks: tuple[int, ...]
    kinds: tuple[str, ...]
    cells: tuple[int, ...]


class ActiveRules(NamedTuple):
    """The rules that blocks spell.

    Attributes:
        sentences: As they are read.
        you: Kinds that walk.
        win: Kinds that win the level when they are walked onto.
        stop: Kinds that nothing gets onto.
        becomes: Kinds that turn into another kind.
    """

    sentences: tuple[str, ...]
    you: frozenset[str]
    win: frozenset[str]
    stop: frozenset[str]
    becomes: dict[str, str]


class BabaBoard:
    """A board with its blocks' words: what a step makes of a situation; nothing in it changes."""

    def __init__(self, width: int, height: int, words: tuple[str, ...]) -> None:
        self.width, self.height, self.words = width, height, words
        xs, ys = range(1, width - 1), range(1, height - 1)
        self.inside = frozenset(x + width * y for y in ys for x in xs)
        self.ways = {"up": -width, "right": 1, "down": width, "left": -1}
        self._read: dict[tuple[int, ...], ActiveRules] = {}

    def rules(self, blocks: tuple[int, ...]) -> ActiveRules:
        """Return the rules that hold, in reading order of their middle block, rows before columns.

        Args:
            blocks: Where the blocks lie.
        """
        if blocks not in self._read:
            words = dict(zip(blocks, self.words, strict=True))
            middles = sorted(cell for cell, word in words.items() if word == "is")
            pairs = [
                (words[middle - way], words[middle + way])
                for middle in middles
                for way in (1, self.width)
                if words.get(middle - way) in OBJECTS
                and words.get(middle + way, "is") in (*PROPERTIES, *OBJECTS)
            ]
            with_property = {
                name: frozenset(kind for kind, other in pairs if other == name)
                for name in PROPERTIES
            }
            self._read[blocks] = ActiveRules(
                tuple(f"{kind} is {other}" for kind, other in pairs),
                becomes={kind: other for kind, other in reversed(pairs) if other in OBJECTS},
                **with_property,
            )
        return self._read[blocks]

    def step(self, old: BabaSituation, action: str) -> tuple[BabaSituation, bool]:
        """Return the situation after an action, and whether it has won the level."""
        way = self.ways.get(action, 0)
        rules = self.rules(old.blocks)
        movers = [index for index, kind in enumerate(old.kinds) if kind in rules.you]
        if not way or not movers:
            return old, False
        if len(movers) > 1:
            # Who is in front goes first, so that a row of movers does not stand in its own way.
            movers.sort(key=lambda index: -old.cells[index] * way)
        blocks, cells, has_won = old.blocks, list(old.cells), False
        for index in movers:
            target = cells[index] + way
            moved = self._pushed(blocks, cells, target, way) if target in blocks else blocks
            is_stopped = target in cells and _is_any(rules.stop, target, old.kinds, cells)
            if moved is None or is_stopped or target not in self.inside:
                continue
            if target in old.cells and _is_any(rules.win, target, old.kinds, old.cells):
                has_won = True
            blocks, cells[index] = moved, target
        becomes = (rules if blocks is old.blocks else self.rules(blocks)).becomes
        kinds = tuple(becomes.get(kind, kind) for kind in old.kinds) if becomes else old.kinds
        return BabaSituation(blocks, kinds, tuple(cells)), has_won

    def _pushed(
        self, blocks: tuple[int, ...], cells: list[int], target: int, way: int
    ) -> tuple[int, ...] | None:
        """Blocks after those from a cell on are pushed; None if they cannot be."""
        end = target
        while end in blocks:
            end += way
        if end not in self.inside or end in cells:
            return None
        chain = range(target, end, way)
        return tuple(block + way if block in chain else block for block in blocks)


def _is_any(names: frozenset[str], target: int, kinds: Sequence[str], cells: Sequence[int]) -> bool:
    """Whether an object in a cell is of one of some kinds."""
    return any(cell == target and kind in names for kind, cell in zip(kinds, cells, strict=True))


class BabaGame:
    """One level that is being played.

    Attributes:
        board: The board.
        situation: How things stand.
        cap: Steps after which it ends.
        steps: Steps made, `idle` and malformed actions included.
        malformed: How many actions were none.
        resets: How often nothing was you.
        notice: What was wrong with the last action or came of it; empty if nothing.
        ending: Why it is over; empty while it goes on.
    """

    def __init__(self, inputs: dict[str, Any]) -> None:
        width = inputs["width"]
        words = tuple(word for word, _, _ in inputs["blocks"])
        self.board = BabaBoard(width, inputs["height"], words)
        self._start = self.situation = BabaSituation(
            tuple(x + width * y for _, x, y in inputs["blocks"]),
            tuple(kind for kind, _, _ in inputs["objects"]),
            tuple(x + width * y for _, x, y in inputs["objects"]),
        )
        self.cap: int = inputs["cap"]
        self.steps = self.malformed = self.resets = 0
        self.notice = self.ending = self._last = ""

    def observe(self) -> dict[str, Any] | None:
        """Return what the player is told before a step; None once it is over."""
        if self.ending:
            return None
        return {
            "instruction": INSTRUCTION,
            "observation": self._text(),
            "prev_action": self._last,
            "steps_left": self.cap - self.steps,
            "notice": self.notice,
        }

    def act(self, action: object) -> None:
        """Make a step; an action that is none is counted and counts as `idle`."""
        self.notice = ""
        self._last = read_action(action)
        if not self._last:
            self.malformed += 1
            self._last = "idle"
            self.notice = f"the last action was none of {', '.join(ACTIONS)}: stood idle"
        self.steps += 1
        self.situation, has_won = self.board.step(self.situation, self._last)
        rules = self.board.rules(self.situation.blocks)
        if has_won:
            self.ending = "won"
        elif self.steps >= self.cap:
            self.ending = "ran out of steps"
        elif not rules.you.intersection(self.situation.kinds):
            self.resets += 1
            self.situation = self._start
            self.notice = "nothing was you any more: the level is set back to its beginning"

    @property
    def score(self) -> float:
        """1 for a level that is won, else 0."""
        return 1.0 if self.ending == "won" else 0.0

    def draw(self) -> str:
        """Return the board as text: words of blocks in capitals, first letters of objects."""
        marks = dict(self._objects()[::-1])
        marks |= {cell: word.upper() for cell, word in self._blocks()}
        lines = [
            " ".join(
                marks.get(cell, "." if cell in self.board.inside else "#")[:4].ljust(4)
                for cell in range(row * self.board.width, (row + 1) * self.board.width)
            ).rstrip()
            for row in range(self.board.height)
        ]
        lines.append(", ".join(self.board.rules(self.situation.blocks).sentences))
        lines.append(f"step {self.steps} of {self.cap}, {self.ending or 'going on'}")
        return "\n".join(lines)

    def _text(self) -> str:
        rules = self.board.rules(self.situation.blocks)
        objects = self._objects()
        me, kind_of_me = next(pair for pair in objects if pair[1] in rules.you)
        objects.remove((me, kind_of_me))
        lines = ["Active rules:", *rules.sentences, "", f"Seen from {kind_of_me}, which is you:"]
        lines += [f"{kind} {self._offset(me, cell)}" for cell, kind in objects]
        lines += [f"block {word} {self._offset(me, cell)}" for cell, word in self._blocks()]
        return "\n".join(lines)

    def _offset(self, me: int, cell: int) -> str:
        width = self.board.width
        right, down = cell % width - me % width, cell // width - me // width
        parts = [f"{right} right" if right > 0 else f"{-right} left"] if right else []
        parts += [f"{down} down" if down > 0 else f"{-down} up"] if down else []
        return " and ".join(parts) or "here"

    def _objects(self) -> list[tuple[int, str]]:
        return sorted(zip(self.situation.cells, self.situation.kinds, strict=True))

    def _blocks(self) -> list[tuple[int, str]]:
        return sorted(zip(self.situation.blocks, self.board.words, strict=True))


def read_action(action: object) -> str:
    """Return the action that a text names; empty if it names none."""
    if not isinstance(action, str) or len(action) > LONGEST_ACTION:
        return ""
    word = action.strip().lower()
    return word if word in ACTIONS else ""


def play(inputs: dict[str, Any], agent: Any) -> float:
    """Play one level and return its score; code that fails has lost it."""
    game = BabaGame(inputs)
    while (observation := game.observe()) is not None:
        try:
            action, _ = agent.forward(observation)
        except Exception:  # an agent's own code may fail in any way
            break
        game.act(action)
    return game.score
