"""The winner is judged once on data that the search never saw."""

import json
from pathlib import Path
from typing import Any

import pytest

from hyperspace.executor.jobs import ConfinedJob
from hyperspace.research.environments.description import read_description
from hyperspace.research.environments.repository import Environment, read_environment
from hyperspace.research.errors import EnvironmentUnusable
from hyperspace.research.jobs.scoring import evaluation_job, held_out_job, training_job
from hyperspace.research.loop.folder import ResearchFolder
from hyperspace.research.loop.options import ResearchOptions
from hyperspace.research.loop.records import HeldOut
from hyperspace.research.loop.replay import replay_research
from hyperspace.research.loop.run import recorded_digest
from hyperspace.research.loop.space import digest_of_ideas, reading_from
from hyperspace.runs.research.reader import ResearchReader
from hyperspace.runs.research.scored import read_research_run
from tests.hyperspace.research.environments import (
    CONFIG,
    HELD_OUT,
    fit_line,
    replaced,
    small,
    write_small,
)
from tests.hyperspace.research.runs import (
    IDEATOR,
    ScriptedIdeator,
    block,
    config_for,
    play,
    run_research,
)
from tests.support.sandboxes import needs_bubblewrap

pytestmark = needs_bubblewrap
FILES = {"env.toml": CONFIG + HELD_OUT, "held_out/most.json": "2"}


def options(folder: Path, **more: Any) -> ResearchOptions:
    env = str(write_small(folder / "env", FILES))
    said: dict[str, Any] = {"env": env, "models": (IDEATOR,), "epochs": 1, "ideas": 2, **more}
    return ResearchOptions(results=folder / "results", **said)


def held_out_of(environment: Environment, root: Path, diffs: list[str]) -> tuple[Any, HeldOut]:
    """A search in which a model gives these diffs, and what was held out says."""
    config = config_for(environment, ideas=len(diffs))
    model = ScriptedIdeator([[block(diff)] for diff in diffs])
    ideas = play(environment, config, model, root)
    with reading_from(ResearchFolder(root).space, config) as space:
        result = space.held_out()
    assert result is not None
    assert "held" not in "".join(model.told).lower()
    return ideas, result


@pytest.mark.long
def test_what_fits_the_data_of_the_search_alone_is_told_by_what_was_held_out(
    tmp_path: Path,
) -> None:
    environment = small(tmp_path / "env", FILES)
    diffs = [replaced(environment, "main.py", "= 1", f"= {number}") for number in (4, 5)]
    ideas, result = held_out_of(environment, tmp_path / "run", diffs)
    assert [ideas[number].score for number in (0, 1, 2)] == [1.0, 4.0, 5.0]
    assert result == HeldOut(idea=2, score=2.0, baseline=1.0)


def test_the_repository_as_it_is_may_win(tmp_path: Path) -> None:
    environment = small(tmp_path / "env", FILES)
    worse = replaced(environment, "main.py", "= 1", "= 0")
    _, result = held_out_of(environment, tmp_path / "run", [worse])
    assert result == HeldOut(idea=0, score=1.0, baseline=1.0)


@pytest.mark.long
def test_what_cannot_be_judged_says_why_and_ends_no_run(tmp_path: Path) -> None:
    held_out = f'{HELD_OUT}command = ["python", "other.py"]\n'
    files = {**FILES, "env.toml": CONFIG + held_out, "held_out/other.py": "raise SystemExit(3)\n"}
    environment = small(tmp_path / "env", files)
    better = replaced(environment, "main.py", "= 1", "= 3")
    _, result = held_out_of(environment, tmp_path / "run", [better])
    assert (result.idea, result.score, result.baseline) == (1, None, None)
    assert "idea 1: the evaluation cannot judge what it left: it ended with status 3" in (
        result.reason
    )


def test_no_job_of_the_search_holds_what_is_held_out(tmp_path: Path) -> None:
    held_out = f'{HELD_OUT}command = ["python", "judge.py", "again"]\n'
    config = CONFIG.replace('path = "repo"', 'path = "."') + held_out
    files = {"env.toml": config, "held_out/most.json": "2", "held_out/secret": "SECRET"}
    environment = small(tmp_path / "env", files | {"sealed/most.json": "5"})
    left = {"out.json": b"{}"}
    search: list[ConfinedJob] = [
        training_job(environment, environment.files, "bubblewrap"),
        evaluation_job(environment, left, "bubblewrap"),
    ]
    for job in search:
        assert not [path for path in job.files if "secret" in path or "held_out" in path]
        assert b"SECRET" not in job.files.values()
    last = held_out_job(environment, left, "bubblewrap")
    assert (last.files["most.json"], last.files["secret"]) == (b"2", b"SECRET")
    assert (last.command[-1], search[1].command[-1]) == ("again", "judge.py")
    assert not environment.is_shown("held_out/secret") or "held_out/secret" not in environment.files


@pytest.mark.parametrize(
    ("held_out", "files", "why"),
    [
        ("held_out", {}, "not a directory"),
        ("held_out", {"held_out/most.json": "5"}, "nothing is held out"),
        ("repo", {}, "lies in the sealed folder"),
        (".", {}, "lies in the sealed folder"),
        ("held_out", {"held_out/big": "x" * 2 * 1024**2}, "raise"),
    ],
)
def test_what_holds_nothing_out_is_refused(
    held_out: str, files: dict[str, str], why: str, tmp_path: Path
) -> None:
    config = CONFIG + HELD_OUT.replace('"held_out"', f'"{held_out}"')
    folder = write_small(tmp_path, {"env.toml": config, **files})
    with pytest.raises(EnvironmentUnusable, match=why):
        read_environment(read_description(folder))


def test_an_environment_without_it_is_known_by_what_it_was(tmp_path: Path) -> None:
    plain, with_it = small(tmp_path / "a"), small(tmp_path / "b", FILES)
    assert plain.held_out == {}
    assert plain.sha256 != with_it.sha256
    assert digest_of_ideas([]) != digest_of_ideas([], HeldOut(idea=0, score=1.0, baseline=1.0))
    assert fit_line().held_out["points.json"] != fit_line().sealed["points.json"]


@pytest.mark.long
def test_summary_report_and_replay_tell_both(tmp_path: Path) -> None:
    lines: list[str] = []
    fields = run_research(options(tmp_path), lines.append)
    run = Path(fields["run"])
    result = fields["held_out"]
    assert lines[-1].startswith("held out, judged once: score 1.0 as it is")
    assert result["idea"] == fields["best_idea"]
    assert result["score"] <= 2.0 < fields["best"]
    assert fields["validation"]["most_bits"] > 0
    again = replay_research(run, lambda _: None)
    assert again.same
    assert recorded_digest(run) == fields["digest"] == again.digest
    whole = read_research_run(run)
    assert whole.agents[0].test == result["score"]
    assert whole.validation_bits == fields["validation"]["most_bits"]
    reader = ResearchReader(run)
    reader.look_to_the_end()
    assert reader.is_finished
    assert reader.held_out is not None
    assert json.loads((run / "summary.json").read_text()) == fields
