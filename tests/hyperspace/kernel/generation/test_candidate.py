"""What a generation in the making starts from, and what its agent sees."""

from pathlib import Path

from hyperspace.kernel.generation.candidate import Candidate, Chosen
from hyperspace.kernel.state.manifest import Role
from hyperspace.options.fleet import FleetTerms
from tests.support.runs.some_fleet import SomeFleet, alike


def forked(fleet: SomeFleet, role: Role) -> Candidate:
    """A candidate of the next generation, whose parent is the latest one."""
    parent = fleet.context.archives["a"].entries[-1]
    number, who = parent.generation + 1, fleet.who("a")
    look, chosen = fleet.look("a", number), Chosen(parent)
    return Candidate.fork(
        fleet.context, who, number, look, chosen, role, from_first=role == "blind"
    )


def test_a_blind_candidate_starts_from_generation_0_and_sees_nothing_later(tmp_path: Path) -> None:
    with SomeFleet(tmp_path / "run", FleetTerms(members=alike(1))) as fleet:
        for val in (0.5, 0.6, 0.7):
            fleet.close("a", val)
        blind, directed, only = (forked(fleet, role) for role in ("blind", "directed", ""))
    assert (list(blind.history), blind.forked_from, blind.parent) == ([0], 0, 2)
    assert blind.code["task_agent.py"] == "# a 0\n"
    for candidate in (directed, only):
        assert (list(candidate.history), candidate.forked_from, candidate.parent) == (
            [0, 1, 2],
            2,
            2,
        )
        assert candidate.code["task_agent.py"] == "# a 2\n"
