"""An agent of a run answers one input by hand: in a sandbox that confines, on no record."""

from pathlib import Path

import pytest

from hyperspace.kernel.errors import ForeignRun, RunUsageError
from hyperspace.kernel.state.copies import STATE
from hyperspace.kernel.state.ownership import SIGNATURE
from hyperspace.launch.review import (
    MOST_INPUT_BYTES,
    ReviewedAnswer,
    example_inputs,
    review,
    review_model,
)
from tests.support.command import pair
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.long, needs_bubblewrap]  # plays a run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = tmp_path_factory.mktemp("results")
    pair(results)
    return results / "repo_quality" / "tinker_vs_magpie" / "seed3"


def written(run: Path) -> dict[Path, int]:
    """When each file was written last; a store that is read may make its own beside it."""
    files = (path for path in run.rglob("*") if "space.db" not in path.name)
    return {path: path.stat().st_mtime_ns for path in files}


def test_the_best_generation_answers_and_nothing_of_the_run_is_written(run: Path) -> None:
    before = {
        path: path.stat().st_mtime_ns for path in run.rglob("*") if "space.db" not in path.name
    }
    answer = review(run, "tinker", None, example_inputs(run))
    assert answer.answer in ("accept", "reject")
    assert (answer.agent, answer.error, answer.calls) == ("tinker", "", 0)
    after = {
        path: path.stat().st_mtime_ns for path in run.rglob("*") if "space.db" not in path.name
    }
    assert after == before


def test_a_generation_is_asked_by_its_number_and_what_its_code_raises_is_its_answer(
    run: Path,
) -> None:
    answer = review(run, "magpie", 0, {"unknown": 1})
    assert isinstance(answer, ReviewedAnswer)
    assert (answer.generation, answer.answer) == (0, None)
    assert "KeyError" in answer.error


def test_a_model_may_be_asked_where_that_is_said(run: Path) -> None:
    assert review(run, "tinker", 0, example_inputs(run), ask_model=True).error == ""
    model = review_model(run, "tinker")
    assert (model.name, model.is_offline) == ("offline/tinker", True)


def test_agents_and_generations_that_are_not_there_are_named(run: Path) -> None:
    with pytest.raises(RunUsageError, match="#tinker or #magpie"):
        review(run, "nobody", None, {})
    with pytest.raises(RunUsageError, match="no generation 99"):
        review(run, "tinker", 99, {})
    with pytest.raises(RunUsageError, match="at most"):
        review(run, "tinker", None, {"name": "x" * MOST_INPUT_BYTES})


def test_the_code_of_a_run_that_somebody_else_began_is_not_executed(run: Path) -> None:
    ours = {run / name: (run / name).read_bytes() for name in (SIGNATURE, STATE)}
    for signature in ours:
        signature.unlink()
    try:
        with pytest.raises(ForeignRun):
            review(run, "tinker", None, {})
        assert review(run, "tinker", None, example_inputs(run), trust=True).error == ""
    finally:
        for signature, content in ours.items():
            signature.write_bytes(content)
