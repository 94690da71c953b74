"""Adoption by the published rule: similarity alone, whatever was in sight.

For agent A at generation g and a peer B: d_own = 1 - sim(code(A, g), code(A, previous g of A)),
d_peer = 1 - sim(code(A, g), code of B's best validation score among its generations <= g, the
earliest of equals). Skipped where a text is missing or both distances are 0. An event iff
d_peer / (d_own + d_peer) < 0.4. Source: docs/reference/analysis.md.
"""

from collections.abc import Callable, Iterator

import msgspec

from runs.files import Text
from runs.records import AgentRead, RunRead, TurnRead, best_turn
from transfer_experiment.similarity.memory import Moves
from transfer_experiment.similarity.moves import Move


class PublishedEvent(msgspec.Struct, frozen=True):
    """A move towards a peer's best code so far.

    Attributes:
        peer: Towards whom.
        generation: When.
        source: Which generation of the peer.
        move: How far.
        score_before: The agent's validation score at its previous generation.
        score_after: Its validation score at this one.
    """

    peer: str
    generation: int
    source: int
    move: Move
    score_before: float | None
    score_after: float | None


def published_events(
    run: RunRead, agent: AgentRead, previous: TurnRead, turn: TurnRead, judge: "Judge"
) -> Iterator[PublishedEvent]:
    """Judge one generation against each peer.

    Args:
        run: The run.
        agent: Whose generation.
        previous: The one before it.
        turn: The generation.
        judge: Reads and measures.
    """
    text, own = judge.read(turn.task), judge.read(previous.task)
    if text is None or own is None:
        return
    for peer in run.peers_of(agent.name):
        best = best_turn(peer, upto=turn.generation)
        theirs = None if best is None else judge.read(best.task)
        if best is None or theirs is None:
            continue
        move = judge.moves.below(text, own, theirs)
        if move is not None:
            yield PublishedEvent(
                peer.name, turn.generation, best.generation, move, previous.val, turn.val
            )


class Judge(msgspec.Struct, frozen=True):
    """How texts are read and moves are measured.

    Attributes:
        read: Reads a text, and may have it at hand.
        moves: Measures.
    """

    read: Callable[[Text], str | None]
    moves: Moves
