"""`--keep-traces`: what a finished run keeps, and what says so where a trace is missed."""

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import failed, hyperspace, pair
from tests.support.runs.copied import copied

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return pair(tmp_path_factory.mktemp("all"))


def traces(run: Path) -> list[str]:
    return sorted(str(path.relative_to(run)) for path in run.rglob("llm_calls.jsonl"))


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return pair(tmp_path_factory.mktemp("none"), "--keep-traces", "none")


def test_what_is_dropped_is_dropped_after_the_analysis(whole: Any, bare: Any) -> None:
    run = Path(bare["run"])
    assert traces(run) == []
    assert bare["digest"] == whole["digest"]
    assert bare["adoptions"] == whole["adoptions"] != []
    resumed = hyperspace("resume", run, "--json")
    assert json.loads(resumed.stdout)["adoptions"] == whole["adoptions"]
    assert json.loads((run / "run_config.json").read_text())["keep_traces"] == "none"


def test_in_place_of_a_trace_stands_its_hash(whole: Any, bare: Any) -> None:
    place = Path("magpie/gen_1")
    told = json.loads((Path(bare["run"]) / place / "llm_calls.dropped.json").read_text())
    calls = (Path(whole["run"]) / place / "llm_calls.jsonl").read_text().splitlines()
    assert (told["calls"], told["keep_traces"]) == (len(calls), "none")
    assert len(told["sha256"]) == len(hashlib.sha256().hexdigest())


def test_the_best_generation_of_each_agent_keeps_its_trace(tmp_path: Path) -> None:
    job = pair(tmp_path, "--keep-traces", "best")
    best = [f"{a['name']}/gen_{a['best_generation']}/llm_calls.jsonl" for a in job["agents"]]
    assert traces(Path(job["run"])) == sorted(best)


def test_what_needs_the_traces_says_that_they_were_not_kept(bare: Any, tmp_path: Path) -> None:
    assert "--keep-traces" in failed(hyperspace("replay", bare["run"], "--json"), 2)
    recorded = f"replay:{bare['run']}#tinker"
    models = ("--models", recorded, "offline/magpie", "--domain", "repo_quality")
    assert "not kept" in failed(hyperspace("pair", *models, "--results", tmp_path), 2)


def forged(bare: Any, folder: Path) -> Path:
    """A copy of a run without traces whose summary tells an adoption that there never was."""
    run = folder / Path(bare["run"]).relative_to(Path(bare["run"]).parents[2])
    copied(Path(bare["run"]), run)
    summary = json.loads((run / "summary.json").read_text())
    summary["adoptions"].append({**summary["adoptions"][0], "agent": "tinker", "peer": "magpie"})
    (run / "summary.json").write_text(json.dumps(summary))
    return run


@pytest.mark.parametrize("command", ["resume", "watch"])
def test_an_invented_adoption_is_not_believed(command: str, bare: Any, tmp_path: Path) -> None:
    run = forged(bare, tmp_path)
    options = ("--json",) if command == "resume" else ("--once",)
    said = failed(hyperspace(command, run, *options), 1)
    assert f"{run / 'summary.json'} tells other adoptions than were put on record" in said


def test_an_invented_adoption_is_told_by_the_audit(bare: Any, tmp_path: Path) -> None:
    assert hyperspace("audit", bare["run"]).returncode == 0
    done = hyperspace("audit", forged(bare, tmp_path))
    assert done.returncode == 1
    assert "tells other adoptions than were put on record" in done.stderr


def test_another_field_of_a_changed_summary_is_made_again_and_the_adoptions_stay(
    bare: Any, tmp_path: Path
) -> None:
    run = copied(Path(bare["run"]), tmp_path / "run")
    summary = json.loads((run / "summary.json").read_text())
    (run / "summary.json").write_text(json.dumps({**summary, "digest": "0" * 64}))
    assert json.loads(hyperspace("resume", run, "--json").stdout)["digest"] == bare["digest"]
    assert json.loads((run / "summary.json").read_text())["adoptions"] == bare["adoptions"]


def test_a_redacted_export_is_believed_of_its_adoptions_unless_they_were_invented(
    bare: Any, tmp_path: Path
) -> None:
    for name, run, code in (("own", bare["run"], 0), ("forged", forged(bare, tmp_path), 1)):
        target = tmp_path / f"{name}.zip"
        assert hyperspace("export", run, "--redact", "--out", target).returncode == 0
        shutil.unpack_archive(target, tmp_path / name)
        (unpacked,) = (tmp_path / name).glob("*/*/seed*")
        assert hyperspace("audit", unpacked).returncode == code


def test_a_lost_summary_is_no_damage(bare: Any, tmp_path: Path) -> None:
    inside = Path(bare["run"]).relative_to(Path(bare["run"]).parents[2])
    copied(Path(bare["run"]), tmp_path / inside)
    (tmp_path / inside / "summary.json").unlink()
    done = hyperspace("resume", tmp_path / inside, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["digest"] == bare["digest"]
    assert told["adoptions"] is None
    again = hyperspace("resume", tmp_path / inside)
    assert (again.returncode, "adoption events: not known" in again.stdout) == (0, True)
