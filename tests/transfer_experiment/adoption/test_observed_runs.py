"""The causal rule on real runs of offline personas, whose sandboxes were watched."""

from pathlib import Path

import pytest

from hyperspace.kernel.events import nobody
from hyperspace.runs.folders import read_run
from transfer_experiment.analysis import RunAnalysis, analyse
from transfer_experiment.options import PairOptions
from transfer_experiment.pair import run_pair


def played(tmp_path: Path, models: tuple[str, str], generations: int = 2) -> RunAnalysis:
    options = PairOptions(
        models=models, domain="repo_quality", generations=generations, seed=1, results=tmp_path
    )
    return analyse(read_run(Path(run_pair(options, nobody).run)), ("causal",))


@pytest.mark.long
def test_what_an_adopter_copies_is_adopted_by_the_path_it_took(tmp_path: Path) -> None:
    run = played(tmp_path, ("offline/author", "offline/adopter?eagerness=1&picky=0"))
    (event,) = run.adoptions
    assert (event.verdict, event.agent, event.peer) == ("adopted", "adopter", "author")
    assert [step.kind for step in event.path] == ["in_sight", "opened", "came_in"]
    looks = {(f.agent, f.generation, f.evidence[0].rank) for f in run.findings.of("looks")}
    assert looks == {("adopter", number, "host-observed") for number in (1, 2)}


def test_two_who_think_alike_and_do_not_look_are_coincident(tmp_path: Path) -> None:
    models = ("offline/coincident", "offline/coincident?delay=1")
    run = played(tmp_path, models)
    assert {event.verdict for event in run.adoptions} == {"coincident"}
