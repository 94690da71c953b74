"""Diversity: how far two agents' task agents of one generation are apart.

Definition (docs/reference/detectors.md): 1 minus their similarity (0 is equal, 1 has nothing in
common), at generations that both have code of, evenly spread.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Final

from guards.scope.changes import printable
from hyperspace.runs.records import Run
from transfer_experiment.findings import Finding, FindingKind, in_run
from transfer_experiment.similarity.moves import nearness

MOST_DISTANCES: Final = 6  # of two agents: one costs milliseconds, six show where two lines go


def _pair_by_pair(_title: str, findings: Sequence[Finding]) -> Iterator[str]:
    pairs: dict[tuple[str, str], list[str]] = defaultdict(list)
    for finding in findings:
        apart = f"{finding.details['distance']:.2f}@{finding.generation}"
        pairs[finding.agent, str(finding.details["peer"])].append(apart)
    for (agent, peer), distances in pairs.items():
        yield f"{printable(agent)} and {printable(peer)}: distance {' '.join(distances)}"


DIVERSITY: Final = FindingKind(
    name="diversity",
    title="distance between agents",
    order=160,
    table="none",
    columns=("generation", "agent", "peer", "distance"),
    needs=("code",),
    tell=_pair_by_pair,
)


@in_run(DIVERSITY)
def diversity(run: Run) -> Iterator[Finding]:
    """Measure each pair of agents."""
    for agent, peer in combinations(run.agents, 2):
        step = max(1, -(-len(agent.generations) // MOST_DISTANCES))
        for turn in agent.generations[::step]:
            beside = peer.turn(turn.generation)
            mine, theirs = turn.task.read(), beside.task.read() if beside else None
            if mine is not None and theirs is not None:
                near = nearness(mine, theirs)
                apart = 1.0 - near.similarity
                text = f"is {apart:.2f} from {peer.name}"
                text += "" if near.compared else " by lines, not compared by characters"
                yield DIVERSITY.finding(
                    agent.name, turn.generation, text=text, peer=peer.name, distance=apart
                )
