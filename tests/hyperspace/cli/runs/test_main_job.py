"""The main job, as the README shows it: what it prints, and what stands in its folder."""

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import PAIR, hyperspace, pair
from tests.support.paths import ROOT
from tests.support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.usefixtures("job"), pytest.mark.long]
PUBLISHED_ARCHIVE_TRAIN = 0.85


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def job(results: Path) -> Any:
    return pair(results, generations=10, seed=42)


@pytest.fixture
def run(job: Any) -> Path:
    return Path(job["run"])


def written(run: Path) -> dict[Path, int]:
    """When each file was last written; SQLite's own index of readers is no content."""
    files = (path for path in run.rglob("*") if path.is_file())
    return {path: path.stat().st_mtime_ns for path in files if not path.match("space.db-*")}


def test_the_better_agent_passes_what_the_published_operator_reaches(job: Any) -> None:
    assert max(agent["best_train"] for agent in job["agents"]) > PUBLISHED_ARCHIVE_TRAIN
    assert all(agent["test"] is not None for agent in job["agents"])


def test_the_json_object_has_the_promised_fields(job: Any) -> None:
    told = {"run", "digest", "seconds", "agents", "adoptions", "violations"}
    assert set(job) == {*told, "audit_head"}
    fields = {"name", "model", "best_generation", "best_train", "best_val", "test"}
    assert [set(agent) for agent in job["agents"]] == [fields, fields]
    assert [agent["name"] for agent in job["agents"]] == ["tinker", "magpie"]
    assert job["violations"] == 0


def test_magpie_adopts_and_each_adoption_has_evidence_in_the_trace(job: Any, run: Path) -> None:
    assert {event["agent"] for event in job["adoptions"]} == {"magpie"}
    for event in job["adoptions"]:
        assert (event["peer"], event["rule"], event["verdict"]) == ("tinker", "causal", "adopted")
        assert event["ratio"] < 0.4
        assert any(evidence["rank"] == "host-observed" for evidence in event["evidence"])
        for evidence in event["evidence"]:
            line = (run / evidence["file"]).read_text().splitlines()[evidence["line"] - 1]
            assert any(evidence["quote"] in text for text in texts_of(line, evidence["rank"]))


def test_the_analysis_finds_the_same_adoptions_by_both_rules(job: Any, run: Path) -> None:
    done = hyperspace("analyze", run, "--json")
    (analysed,) = json.loads(done.stdout)["runs"]
    adopted = [e for e in analysed["adoptions"] if e["verdict"] == "adopted"]
    assert [e for e in adopted if e["rule"] == "causal"] == job["adoptions"]
    places = [(e["generation"], e["strategy"]) for e in adopted if e["rule"] == "published"]
    assert places == [(e["generation"], e["strategy"]) for e in job["adoptions"]]
    assert {t["kind"] for t in analysed["transfers"]} == {"results"}
    assert analysed["contradictions"] == analysed["crashes"] == analysed["neglects"] == []


def texts_of(line: str, rank: str) -> list[str]:
    """What the host saw opened or asked, or what the model said."""
    call = json.loads(line)
    if "path" in call:
        return [f"{call['kind']} {call['path']} in step {call['step']}"]
    if rank == "claimed":
        return [call["response"], call["thinking"]]
    return [tool["function"]["arguments"] for tool in call["tool_calls"]]


def test_scores_in_the_folder_are_those_of_the_predictions(run: Path) -> None:
    for agent in ("tinker", "magpie"):
        for generation in range(11):
            folder = run / agent / f"gen_{generation}"
            metadata = json.loads((folder / "metadata.json").read_text())
            with (folder / "eval_val" / "predictions.csv").open() as file:
                rows = list(csv.DictReader(file))
            hits = sum(row["prediction"] == row["label"] for row in rows)
            assert metadata["val_score"] == pytest.approx(hits / len(rows))


def test_no_label_of_validation_or_test_was_ever_in_a_conversation(run: Path) -> None:
    for trace in run.glob("*/gen_*/llm_calls.jsonl"):
        text = trace.read_text()
        assert '\\"val-' not in text
        assert '\\"test-' not in text


def test_called_again_it_does_no_work_and_says_so(job: Any, results: Path, run: Path) -> None:
    before = written(run)
    again = hyperspace("pair", *PAIR, "--generations", "10", "--seed", "42", "--results", results)
    assert again.returncode == 0
    assert "no work was done" in again.stdout
    assert job["digest"] in again.stdout
    assert written(run) == before


def test_the_record_has_what_a_person_needs_to_cite_the_run(job: Any, run: Path) -> None:
    record = json.loads((run / "run_config.json").read_text())
    summary = json.loads((run / "summary.json").read_text())
    assert record["command"][:2] == ["hyperspace", "pair"]
    assert record["configuration"]["seed"] == 42
    assert record["sandbox"] in ("bubblewrap", "docker", "process")
    assert len(record["configuration"]["data_sha256"]) == 64
    assert {"hyperspace", "commit", "python", "anyio", "openai"} <= set(record["versions"])
    answered = {f"offline/{name}": [f"offline/{name}"] for name in ("tinker", "magpie")}
    assert record["returned_models"] == summary["returned_models"] == answered
    assert summary["audit_head"] in hyperspace("audit", run).stdout
    assert summary["digest"] == job["digest"]


def test_the_table_names_agents_scores_adoptions_violations_and_the_folder(
    results: Path, run: Path
) -> None:
    shown = hyperspace("resume", run).stdout
    for expected in ("tinker", "magpie", "test", "adoption", "violations: 0", str(run)):
        assert expected in shown


def test_audit_finds_nothing_and_verifies_the_chain(run: Path) -> None:
    done = hyperspace("audit", run)
    assert done.returncode == 0
    assert "0 refused" in done.stdout
    assert "verified" in done.stdout


def test_space_marks_lists_published_strategies_with_scores(job: Any, run: Path) -> None:
    lines = hyperspace("space", "marks", run, "--scope", "strategies").stdout.splitlines()
    best = {agent["name"]: agent["best_val"] for agent in job["agents"]}
    for name, score in best.items():
        assert any(f"strategies/{name}" in line and f"val_score={score}" in line for line in lines)


@pytest.mark.parametrize("command", ["digest", "audit"])
def test_a_finished_run_reads_from_a_read_only_folder(job: Any, run: Path, command: str) -> None:
    script = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"'
    inside = ["unshare", "-m", "sh", "-c", script, "sh", str(run)]
    python = [sys.executable, "-m", "hyperspace", command, str(run)]
    root = ROOT
    done = subprocess.run([*inside, *python], capture_output=True, text=True, check=False, cwd=root)
    if "unshare" in done.stderr or "mount:" in done.stderr:
        pytest.skip(f"this test mounts a folder read-only, which is refused here: {done.stderr}")
    expected = {"digest": job["digest"], "audit": "0 refused"}
    assert expected[command] in done.stdout, done.stderr
    assert done.returncode == 0


@pytest.mark.long
def test_the_same_seed_beside_a_busy_loop_gives_the_same_digest(tmp_path: Path) -> None:
    quiet = pair(tmp_path / "quiet")
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        try:
            loud = pair(tmp_path / "loud")
        finally:
            busy.kill()
    assert loud["digest"] == quiet["digest"]
    assert pair(tmp_path / "other", seed=4)["digest"] != quiet["digest"]


@pytest.mark.long
@needs_bubblewrap
@pytest.mark.slow
def test_the_main_job_gives_the_same_digest_from_cold_starts(job: Any, tmp_path: Path) -> None:
    cold = pair(tmp_path, "--sandbox", "bubblewrap-cold", generations=10, seed=42)
    assert cold["digest"] == job["digest"]


@pytest.mark.long
@needs_bubblewrap
def test_cold_and_warm_starts_give_the_same_digest(tmp_path: Path) -> None:
    paths = [pair(tmp_path / name, "--sandbox", name) for name in ("bubblewrap", "bubblewrap-cold")]
    assert paths[0]["digest"] == paths[1]["digest"]
