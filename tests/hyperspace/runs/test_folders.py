"""Run folders: ours and the published ones; what is missing or damaged is named, never guessed."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hyperspace.cli.main import main
from hyperspace.kernel.errors import RunUsageError
from hyperspace.runs.finding import find_runs, read_scored
from hyperspace.runs.folders import read_run
from hyperspace.runs.following.overview import OverviewReader
from replication.report.build import study_of
from replication.report.outputs.text import report_lines
from tests.replication.report.runs import LFS, ours, paired, solo, write_generation, write_json
from tests.support.command import pair

NO_SPACE = "the run has no space.db: its scores are those of each metadata.json"


def test_a_published_solo_run_is_read(tmp_path: Path) -> None:
    run = read_run(solo(tmp_path, "arm_a_full", 42, [0.1, None, 0.3, 0.2]))
    generations = run.agents[0].generations
    assert (run.experiment, run.arm, run.seed) == ("imo", "arm_a_full", 42)
    assert (run.best_val, run.test, run.initial, run.agents[0].planned) == (0.3, 0.5, 0.1, 3)
    assert [row.valid for row in generations] == [True, False, True, True]
    assert [row.origin for row in generations] == [None, 0, 1, 2]
    assert [row.meta_edited for row in generations] == [None, False, True, False]
    assert [row.code_bytes for row in generations] == [7, None, 21, 28]
    assert (run.notes, run.spent, run.test_exposed) == ((), None, None)


def test_a_published_paired_run_is_one_run_of_two_agents(tmp_path: Path) -> None:
    run = read_run(paired(tmp_path, {"claude": [0.1, 0.5], "kimi": [0.2, None]}, 44))
    assert (run.arm, run.seed, run.experiment) == ("claude_vs_kimi", 44, "")
    assert [(agent.name, agent.best_val) for agent in run.agents] == [
        ("claude", 0.5),
        ("kimi", 0.2),
    ]
    assert run.notes == ()


@pytest.mark.long
def test_our_own_run_is_read_with_what_it_took(tmp_path: Path) -> None:
    result = pair(tmp_path, generations=1)
    (run,) = read_scored(tmp_path)
    assert (run.domain, run.arm, run.seed) == ("repo_quality", "tinker_vs_magpie", 3)
    for agent, told in zip(run.agents, result["agents"], strict=True):
        assert (agent.name, agent.best_val) == (told["name"], told["best_val"])
        assert agent.test == told["test"]
        assert [row.generation for row in agent.generations] == [0, 1]
    assert run.spent is not None
    assert run.spent.calls > 0
    assert (run.spent.usd, run.finished, run.notes) == (0.0, True, ())
    assert [agent.planned for agent in run.agents] == [1, 1]

    (Path(result["run"]) / "summary.json").unlink()
    (unfinished,) = read_scored(tmp_path)
    assert unfinished.spent == run.spent  # from the ledger
    assert (unfinished.finished, unfinished.test) == (False, run.test)  # the space has the test


@pytest.mark.long
def test_what_metadata_say_otherwise_than_the_space_does_not_change_a_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Path(pair(tmp_path, generations=1)["run"])
    before = report_of(run, capsys)
    for path in run.glob("*/gen_*/metadata.json"):
        told = json.loads(path.read_text())
        path.write_text(json.dumps({**told, "val_score": 0.99, "valid": True, "fitness": 0.99}))
    after = report_of(run, capsys)
    notes = after["experiments"][0].pop("notes")
    clean = before["experiments"][0].pop("notes")
    assert not any("metadata" in note for note in clean)
    assert after == before
    for name in ("magpie", "tinker"):
        said = f"{name}/gen_1/metadata.json says val_score 0.99, and the space says"
        assert any(said in note and "the latter counts" in note for note in notes)

    (run / "tinker" / "gen_1" / "metadata.json").unlink()
    (last,) = report_of(run, capsys)["experiments"]
    assert any("tinker/gen_1/metadata.json is missing" in note for note in last["notes"])


def test_a_run_whose_space_cannot_be_read_is_read_from_its_files_and_says_so(
    tmp_path: Path,
) -> None:
    folder = ours(tmp_path, "arm_a_full", 7, [0.1, 0.4])
    (folder / "space.db").write_bytes(b"no database")
    run = read_run(folder)
    assert run.best_val == 0.4
    assert "cannot be read from its space" in run.notes[0]
    with pytest.raises(RunUsageError):
        read_run(folder, need_space=True)


def report_of(run: Path, capsys: pytest.CaptureFixture[str]) -> Any:
    assert main(["report", str(run), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_runs_are_found_at_any_depth_in_the_order_of_their_seeds(tmp_path: Path) -> None:
    for seed in (100, 42, 9):
        solo(tmp_path / "domain", "arm_a_full", seed, [0.1])
    folders = list(find_runs(tmp_path))
    assert [folder.name for folder in folders] == ["seed9", "seed42", "seed100"]
    assert list(find_runs(folders[0])) == [folders[0]]


@pytest.mark.parametrize("record", [b"[" * 100_000, b"", b"{"])
def test_a_damaged_record_hides_no_other_run(record: bytes, tmp_path: Path) -> None:
    made = [ours(tmp_path / "made", "arm_a_full", seed, [0.1, 0.4]) for seed in (1, 2, 3)]
    runs = [run.rename(tmp_path / f"copy {at}") for at, run in enumerate(made)]
    (runs[0] / "run_config.json").write_bytes(record)
    assert list(find_runs(tmp_path)) == runs


@pytest.mark.parametrize("name", ["copy of the best", ".kept", "gen_1"])
def test_a_moved_run_is_a_run_with_the_arm_and_the_seed_of_its_record(
    tmp_path: Path, name: str
) -> None:
    there = ours(tmp_path / "results", "arm_d_annealing", 7, [0.1, 0.4])
    moved = there.rename(tmp_path / name)
    (run,) = read_scored(moved)
    assert (run.experiment, run.arm, run.seed) == ("mix", "arm_d_annealing", 7)
    assert (run.best_val, run.notes) == (0.4, (NO_SPACE,))


def test_a_moved_pair_and_a_moved_published_run_are_read(tmp_path: Path) -> None:
    agents = {"agents": ["a", "b"], "seed": 5, "fleet": {"sharing": {"arm": "placebo"}}}
    write_json(tmp_path / "here" / "run_config.json", {"format": 1, "configuration": agents})
    for agent in ("a", "b"):
        write_json(tmp_path / "here" / agent / "summary.json", {})
        write_generation(tmp_path / "here" / agent / "gen_0", {"valid": True, "val_score": 0.1})
    solo(tmp_path / "old", "arm_a_full", 9, [0.1]).rename(tmp_path / "there")
    runs = [(run.arm, run.seed, run.notes) for run in read_scored(tmp_path)]
    assert runs == [("a_vs_b_placebo", 5, (NO_SPACE,)), ("there", 9, ())]


def of_version(folder: Path, version: object) -> Path:
    record = json.loads((folder / "run_config.json").read_text())
    write_json(folder / "run_config.json", {**record, "format": version})
    return folder


@pytest.mark.parametrize("version", [0, 2, "1", None])
def test_a_run_of_another_version_is_refused_by_every_command_that_reads(
    version: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = of_version(ours(tmp_path, "arm_a_full", 7, [0.1, 0.4]), version)
    (run / "space.db").touch()
    commands = ["report", "eval_progress", "analyze", "space marks", "digest", "audit", "export"]
    for command in commands:
        assert main([*command.split(), str(run)]) == 2, command
        printed = capsys.readouterr()
        assert f"has run format {version!r} and this version reads 1" in printed.err
        assert "--" not in printed.err
        assert printed.out == ""


@pytest.mark.parametrize("command", ["report", "eval_progress", "analyze"])
def test_in_a_folder_of_runs_one_of_another_version_is_left_out_and_named(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paired(tmp_path, {"claude": [0.1, 0.5], "kimi": [0.2, 0.3]}, 44)
    other = of_version(ours(tmp_path, "arm_a_full", 7, [0.1, 0.9]), 2)
    for options in ([], ["--json"]):
        assert main([command, str(tmp_path), *options]) == 0
        told = " ".join(capsys.readouterr().out.replace("note:", "").split())
        assert f"{other / 'run_config.json'} has run format 2" in told
        assert "left out" in told.lower().replace("_", " ")
        assert "claude" in told and "0.5" in told and "0.9" not in told
    assert main([command, str(other.parent)]) == 2
    assert "has run format 2" in capsys.readouterr().err


def test_a_run_of_ours_that_has_lost_its_record_is_left_out_and_named_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results"
    ours(results, "arm_a_full", 7, [0.1, 0.4])
    other = ours(results, "arm_a_full", 8, [0.1, 0.9])
    (other / "space.db").touch()
    (other / "run_config.json").unlink()
    told = report_of(results, capsys)
    assert [arm["arm"] for each in told["experiments"] for arm in each["arms"]] == ["arm_a_full"]
    missing = f"{other / 'run_config.json'} is missing; restore it from a copy or an export"
    assert [line.startswith(missing) for line in told["left_out"]] == [True]
    assert str(other) not in str(told["experiments"])
    overview = OverviewReader(other).read()
    assert overview.state == "damaged" and "run_config.json is missing" in overview.why


def test_a_run_that_nobody_gave_a_seed_says_so(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run_config.json").write_text("{")
    write_generation(tmp_path / "run" / "gen_0", {"valid": True, "val_score": 0.1})
    assert any("no file says its seed" in note for note in read_run(tmp_path / "run").notes)


def test_notes_of_a_moved_run_name_it(tmp_path: Path) -> None:
    folder = ours(tmp_path / "results", "arm_a_full", 7, [0.1, 0.4]).rename(tmp_path / "copy")
    (folder / "climber" / "gen_1" / "metadata.json").write_text(LFS)
    (experiment,) = study_of(read_scored(folder), "here").report.experiments
    assert experiment.notes[-2].startswith(
        "arm_a_full seed 7: climber/gen_1/metadata.json is a git-lfs"
    )


def test_a_pointer_a_missing_and_a_truncated_file_are_named_and_left_out(tmp_path: Path) -> None:
    folder = solo(tmp_path, "arm_a_full", 1, [0.1, 0.2, 0.3, 0.4, 0.5])
    (folder / "gen_1" / "metadata.json").write_text(LFS)
    (folder / "gen_2" / "metadata.json").unlink()
    (folder / "gen_3" / "metadata.json").write_text('{"valid": true, "val_sc')
    (folder / "gen_4" / "repo" / "task_agent.py").write_text(LFS)
    (run,) = read_scored(folder)
    assert [row.generation for row in run.agents[0].generations] == [0, 4]
    assert run.agents[0].generations[1].code_bytes is None
    assert run.notes == (
        "gen_1/metadata.json is a git-lfs pointer; its content was not fetched",
        "gen_2/metadata.json is missing",
        "gen_3/metadata.json is truncated or no JSON object",
        "gen_4/repo/task_agent.py is a git-lfs pointer; its content was not fetched",
    )


def test_a_summary_that_says_otherwise_than_the_generations_is_named(tmp_path: Path) -> None:
    folder = solo(tmp_path, "arm_a_full", 1, [0.1, 0.2])
    told = json.loads((folder / "summary.json").read_text())
    (folder / "summary.json").write_text(json.dumps({**told, "best_val_score": 0.9}))
    run = read_run(folder)
    assert run.best_val == 0.2
    assert "says best validation score 0.9" in run.notes[0]


def test_scores_that_are_no_finite_numbers_are_no_scores(tmp_path: Path) -> None:
    folder = solo(tmp_path, "arm_a_full", 1, [0.1, 0.2])
    write_generation(folder / "gen_1", {"valid": True, "parent": 0, "val_score": "high"})
    (folder / "gen_2").mkdir()
    (folder / "gen_2" / "metadata.json").write_text('{"valid": true, "val_score": NaN}')
    (run,) = read_scored(folder)
    assert [row.val for row in run.agents[0].generations] == [0.1, None]
    assert any("gen_2/metadata.json" in note for note in run.notes)


def test_many_notes_are_counted_not_listed(tmp_path: Path) -> None:
    folder = solo(tmp_path, "arm_a_full", 1, [0.1] * 40)
    for generation in range(40):
        (folder / f"gen_{generation}" / "metadata.json").write_text(LFS)
    notes = read_run(folder).notes
    assert len(notes) < 12
    assert "more like these" in " ".join(notes)


ODD: tuple[Any, ...] = (
    *(None, True, -1, 3, 10**20, 1.5, "", "x", "7"),
    *([], ["a"], [[]], {}, [{}]),
)
NAMES = (
    *("configuration", "solo", "fleet", "members", "agents", "generations", "seed", "iterations"),
    *("valid", "val_score", "parent", "tournament", "winner", "spending", "total", "best_val"),
    *("arm", "experiment", "stream", "sharing", "show"),
)


def fields(**fixed: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with names that the readers look for, and anything under them."""
    odd, names = st.sampled_from(ODD), st.sampled_from(NAMES)
    objects = st.dictionaries(names, odd | st.dictionaries(names, odd, max_size=4), max_size=5)
    return objects.map(lambda some: {**fixed, **some})


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(fields(format=1), fields(), fields(valid=True))
def test_whatever_stands_in_a_record_is_read_or_left_out(
    record: object, summary: object, metadata: object
) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "arm" / "seed1"
        for holder in (folder, folder / "agent"):
            write_json(holder / "run_config.json", record)
            write_json(holder / "summary.json", summary)
        write_generation(folder / "agent" / "gen_0", metadata, "code", "meta")
        run = read_run(folder)
        list(report_lines(study_of([run], place)))


@pytest.mark.parametrize("name", ["nothing", "empty"])
def test_a_place_without_runs_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(RunUsageError):
        read_scored(tmp_path / name)


def test_a_solo_run_of_ours_says_its_arm_its_stream_and_its_tournaments(tmp_path: Path) -> None:
    folder = tmp_path / "imo_grading" / "first" / "renamed" / "seed5"
    terms = {
        "experiment": "first",
        "arm": "arm_d_annealing_aa",
        "stream": "aa",
        "selection": "best",
    }
    configuration = {
        **{"kind": "solo", "domain": "imo_grading", "agents": ["climber"], "seed": 5},
        **{"generations": 2, "solo": terms},
    }
    write_json(folder / "run_config.json", {"format": 1, "configuration": configuration})
    write_json(folder / "climber" / "summary.json", {"best_val": 0.4})
    scored = {"valid": True, "val_score": 0.4, "fitness": 0.4, "parent": 0, "run_full_eval": True}
    tournament = {"tournament": True, "winner": "blind", "blind_score": 0.5, "directed_score": 0.1}
    staged = {"valid": True, "train_score": 0.0, "val_score": None, "run_full_eval": False}
    write_generation(folder / "climber" / "gen_0", staged)
    write_generation(folder / "climber" / "gen_1", {**scored, "forked_from": 0, **tournament})
    run = read_run(folder)
    assert (run.domain, run.experiment, run.arm) == ("imo_grading", "first", "arm_d_annealing_aa")
    assert (run.seed, run.stream, run.terms, run.notes) == (
        5,
        "aa",
        {"selection": "best"},
        (NO_SPACE,),
    )
    assert (run.initial, run.best_val, run.agents[0].planned) == (0.0, 0.4, 2)
    assert run.agents[0].generations[1].winner == "blind"
