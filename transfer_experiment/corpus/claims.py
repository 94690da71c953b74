"""What the detectors say of one run, in the same form as its labels."""

from collections.abc import Iterable
from pathlib import Path

from evolution.state.config import read_record
from evolution.state.folder import RunFolder
from evolution.state.opening import reading
from runs.ours import read_ours
from transfer_experiment import detectors as findings
from transfer_experiment.adoption.causal_rule import Adoption, adopted
from transfer_experiment.analysis import analyse_run
from transfer_experiment.corpus.labels import Labels, Place
from transfer_experiment.turns.evidence import Evidence


def claims_of(run: Path) -> Labels:
    """Run every detector on a finished run.

    Raises:
        StoreError: Its space cannot be read.
    """
    found = findings.of(read_ours(run))
    return Labels(
        adoption=frozenset((e.agent, str(e.generation)) for e in adopted(_adoptions(run))),
        neglect=frozenset((n.agent, str(n.first)) for n in found.neglects),
        stuck=frozenset((s.agent, str(s.generation)) for s in found.stuck),
        doom_loop=frozenset((d.agent, str(d.generation)) for d in found.doom_loops),
        bloat=frozenset((s.agent,) for s in found.sizes if s.trajectory == "bloat"),
        probe=frozenset(_calls((p.agent, p.generation, p.evidence) for p in found.probes)),
        complacency=frozenset((c.agent, str(c.generation)) for c in found.complacency),
        unknown=frozenset(),
    )


def _adoptions(run: Path) -> list[Adoption]:
    folder = RunFolder(run)
    config = read_record(folder.record).configuration
    with reading(folder, config) as marks:
        return analyse_run(folder, marks, config.agents)


def _calls(found: Iterable[tuple[str, int, tuple[Evidence, ...]]]) -> Iterable[Place]:
    """The calls that findings point to; in a corpus no task agent asks, so calls are lines."""
    for agent, generation, evidence in found:
        for place in evidence:
            yield agent, str(generation), str(place.line - 1)
