"""What a case is made of: two sides that have written a generation each, and turns that follow."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from benchmarks.detectors.constructed.readings import PeerFile
from benchmarks.detectors.constructed.takings import COPIES, OWN, copied, typed
from benchmarks.detectors.constructed.texts import GOOD, CodeBlock, blocks, program, table
from benchmarks.detectors.scenario import ScenarioCall, ScenarioTurn, Transfer
from hyperspace.kernel.files import sha256_hex
from hyperspace.offline.true_action import Act
from transfer_experiment.turns.lines import stripped

_FIRST_BLOCKS: Final = 5
_SPARE_BLOCKS: Final = 3
_TABLE_ROWS: Final = 16


class Side(NamedTuple):
    """An agent behind its first generation.

    Attributes:
        agent: Its name.
        blocks: What its first generation has beyond the seed.
        spare: Blocks that nobody else has, for another generation of its own.
        threshold: Of its first generation.
    """

    agent: str
    blocks: tuple[CodeBlock, ...]
    spare: tuple[CodeBlock, ...]
    threshold: float = GOOD

    @property
    def code(self) -> str:
        """The task agent of its first generation."""
        return program(self.blocks, self.threshold)

    @property
    def file(self) -> PeerFile:
        """The same, as others have it in sight."""
        return PeerFile(self.agent, 1)

    def first_turn(self) -> ScenarioTurn:
        """The turn that writes the first generation, thought of alone."""
        call = ScenarioCall(
            editor={"command": "create", "path": OWN, "file_text": self.code}, act="write"
        )
        return own_turn(self, 1, self.code, (call,), "first generation")


class Case(NamedTuple):
    """The turns of one agent from generation 2 on.

    Attributes:
        turns: In order.
        scope: What it has to be allowed to change beyond its two agents.
    """

    turns: tuple[ScenarioTurn, ...]
    scope: tuple[str, ...] = ()


CaseOf = Callable[[Side, Side, str, str], Case]
"""Makes the turns of the first side, from the second one, a way of reading, and one of taking."""


def side(agent: str, seed: str) -> Side:
    """An agent with blocks of its own, the last of them a table; equal seeds give equal sides."""
    first = (*blocks(f"{seed}-first", _FIRST_BLOCKS), table(f"{seed}-table", _TABLE_ROWS))
    return Side(agent, first, blocks(f"{seed}-spare", _SPARE_BLOCKS))


def own_turn(
    me: Side,
    generation: int,
    after: str,
    calls: Sequence[ScenarioCall],
    case: str,
    reads: str = "",
    takes: str = "",
) -> ScenarioTurn:
    """A turn in which nothing comes from a peer, and what the task agent is behind it."""
    return ScenarioTurn(
        me.agent,
        generation,
        tuple(calls),
        code_sha256=sha256_hex(after.encode()),
        reads=reads,
        takes=takes,
        case=case,
    )


def taking_turn(
    me: Side,
    generation: int,
    peer: Side,
    texts: tuple[str, str],
    calls: Sequence[ScenarioCall],
    case: str,
    reads: str,
    takes: str,
    verdict: Transfer = "adopted",
) -> ScenarioTurn:
    """A turn that took from a peer, with the lines that came in and those they were made of.

    Args:
        me: Whose turn.
        generation: Its number.
        peer: From whom it took.
        texts: The task agent before the turn and behind it.
        calls: What it does.
        case: What it is an example of.
        reads: How it read.
        takes: How it wrote.
        verdict: How much it took.
    """
    before, after = map(_lines, texts)
    theirs = [line for line in _lines(peer.code) if line not in before]
    new = [line for line in after if line not in before]
    same = [line for line in new if line in theirs]
    is_rewritten = len(same) < len(new) / 2
    return ScenarioTurn(
        me.agent,
        generation,
        tuple(calls),
        verdict=verdict,
        peer=peer.agent,
        peer_generation=peer.file.generation,
        lines=tuple(new if is_rewritten else same),
        source=tuple(theirs) if is_rewritten else (),
        code_sha256=sha256_hex(texts[1].encode()),
        reads=reads,
        takes=takes,
        case=case,
    )


def _lines(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(stripped(text.splitlines())))


def write(takes: str, before: str, text: str, act: Act) -> tuple[ScenarioCall, ...]:
    """Write a text of one's own: typed out, or typed into a draft that is then copied."""
    if takes not in COPIES:
        return typed(takes, before, text, act)
    draft = "/tmp/draft.py"  # noqa: S108 - in the sandbox, which has its own
    command = f"cat > {draft} <<'END_OF_TEXT'\n{text}END_OF_TEXT"
    return (ScenarioCall(bash=command), *copied(takes, draft, act))


def take(
    takes: str, peer: Side, before: str, text: str | None = None, act: Act = "adopt"
) -> tuple[ScenarioCall, ...]:
    """Make the task agent the peer's, by copying it, or type out a text that is made of it."""
    if takes in COPIES:
        return copied(takes, peer.file.path, act)
    return typed(takes, before, peer.code if text is None else text, act)
