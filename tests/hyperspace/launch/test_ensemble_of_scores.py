"""An ensemble votes on answers; where the host scores each by itself, there is no vote."""

from pathlib import Path

from tests.support.command import failed, hyperspace


def test_an_ensemble_of_scored_answers_is_refused(tmp_path: Path) -> None:
    done = hyperspace(
        *("solo", "--domain", "packing", "--optimise", "ensemble", "--iterations", "1"),
        *("--no-controls", "--results", tmp_path),
    )
    assert "an ensemble votes on answers, and those to packing are scored" in failed(done, 2)
    assert not list(tmp_path.iterdir())
