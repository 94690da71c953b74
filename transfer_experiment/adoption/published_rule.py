"""Adoption by the published rule: similarity alone, whatever was in sight.

For agent A at generation g and a peer B: d_own = 1 - sim(code(A, g), code(A, previous g of A)),
d_peer = 1 - sim(code(A, g), code of B's best validation score among its generations <= g, the
earliest of equals). Skipped where a text is missing or both distances are 0. An event iff
d_peer / (d_own + d_peer) < 0.4. Source: docs/reference/analysis.md.
"""

from collections.abc import Iterator

from hyperspace.runs.records import Generation, Run, RunAgent, best_turn
from transfer_experiment.adoption.events import Adoption
from transfer_experiment.adoption.lineage import Lineage
from transfer_experiment.similarity.moves import Moves
from transfer_experiment.turns.code import Texts, TurnCode
from transfer_experiment.turns.lines import lines_of


class PublishedJudge:
    """Judges the generations of one agent.

    Args:
        run: The run.
        agent: Whose generations.
        texts: Reads texts.
        moves: Measures moves.
    """

    def __init__(self, run: Run, agent: RunAgent, texts: Texts, moves: Moves) -> None:
        self._agent = agent.name
        self._peers = tuple(run.peers_of(agent.name))
        self._texts = texts
        self._moves = moves

    def judge(
        self, before: Generation, turn: Generation, code: TurnCode, lineage: Lineage
    ) -> Iterator[Adoption]:
        """Judge one generation against each peer; the verdict is left to the causal rule.

        Args:
            before: The generation before it.
            turn: The generation.
            code: Its code.
            lineage: The lines that the agent's task agent had so far.
        """
        text, own = code.text, self._texts.read(before.task)
        if text is None or own is None:
            return
        for peer in self._peers:
            best = best_turn(peer, upto=turn.generation)
            theirs = None if best is None else self._texts.read(best.task)
            if best is None or theirs is None:
                continue
            move = self._moves.below(text, own, theirs)
            if move is None:
                continue
            strategy = f"strategies/{peer.name}_gen{best.generation}"
            yield Adoption(
                agent=self._agent,
                peer=peer.name,
                generation=turn.generation,
                strategy=strategy,
                **move._asdict(),
                score_before=before.val,
                score_after=turn.val,
                peer_lines=len(lineage.from_peer(text, lines_of(theirs))),
                rule="published",
                verdict="coincident",
                evidence=next((s.evidence for s in code.seen if s.strategy == strategy), ()),
                lines=lineage.count(text, lines_of(theirs)),
            )
