"""Results that were forged: what people read and quote is held against the space, and an export."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hyperspace.kernel.state.config import read_record
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.opening import working
from hyperspace.kernel.state.replacements import Replacement
from tests.support.command import hyperspace, pair

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(pair(tmp_path_factory.mktemp("results"), generations=2)["run"])


def through(run: Path) -> list[str]:
    done = hyperspace("audit", run, "--json")
    audit: Any = json.loads(done.stdout)
    assert done.returncode == (1 if audit["through"] else 0)
    return audit["through"]


def change(file: Path, **fields: Any) -> None:
    file.write_text(json.dumps(json.loads(file.read_text()) | fields))


@pytest.mark.parametrize(
    ("field", "value"),
    [("digest", "ab" * 32), ("violations", 7), ("adoptions", []), ("returned_models", {})],
)
def test_a_summary_that_says_what_the_space_does_not_is_told(
    copy: Path, field: str, value: Any
) -> None:
    assert through(copy) == []
    change(copy / "summary.json", **{field: value})
    assert through(copy) == [f"summary.json: {field} is not what the space says"]


def test_a_test_score_that_was_made_better_is_told(copy: Path) -> None:
    summary = json.loads((copy / "summary.json").read_text())
    summary["agents"][1]["test"] = 1.0
    change(copy / "summary.json", agents=summary["agents"])
    assert through(copy) == ["summary.json: agents is not what the space says"]


def test_an_agents_own_summary_is_held_against_the_space(copy: Path) -> None:
    change(copy / "magpie" / "summary.json", best_val=1.0)
    assert through(copy) == ["magpie/summary.json: best_val is not what the space says"]


def test_a_finished_run_without_its_summary_is_told(copy: Path) -> None:
    (copy / "summary.json").unlink()
    assert through(copy) == ["summary.json is missing, and the run is finished"]


def test_a_solo_run_is_held_against_its_own_result(tmp_path: Path) -> None:
    options = ("--model", "offline/tinker", "--domain", "repo_quality", "--generations", "1")
    done = hyperspace("solo", *options, "--arm", "a", "--results", tmp_path, "--json")
    assert done.returncode == 0, done.stderr
    run = min(tmp_path.rglob("run_config.json")).parent
    assert through(run) == []
    change(run / "summary.json", test_accuracy=0.99)
    assert through(run) == ["summary.json: test_accuracy is not what the space says"]


@pytest.fixture
def exported(run: Path, tmp_path: Path) -> Path:
    target = tmp_path / "run.zip"
    assert hyperspace("export", run, "--out", target).returncode == 0
    shutil.unpack_archive(target, tmp_path / "unpacked")
    (folder,) = (tmp_path / "unpacked").glob("*/*/seed*")
    return folder


def test_every_file_of_a_signed_export_is_held_against_its_list(exported: Path) -> None:
    assert through(exported) == []
    change(exported / "run_config.json", sandbox="docker")
    (exported / "limits.json").unlink()
    assert through(exported) == [
        "run_config.json: sandbox is not what the run was begun with",
        "limits.json is not the file that export.json, which you signed, names",
    ]


def seed_changed(run: Path) -> None:
    record = json.loads((run / "run_config.json").read_text())
    change(run / "run_config.json", configuration=record["configuration"] | {"seed": 4})


TAMPERED: dict[str, Callable[[Path], object]] = {
    "magpie gen 1: llm_calls.jsonl was": lambda run: forge(run, "magpie/gen_1/llm_calls.jsonl"),
    "tinker gen 2: repo/task_agent.py was": lambda run: forge(
        run, "tinker/gen_2/repo/task_agent.py"
    ),
    "tinker gen 1: metadata.json was": lambda run: (run / "tinker/gen_1/metadata.json").unlink(),
    "magpie test: ": lambda run: forge(run, "test_eval/magpie/report.json"),
    "magpie/summary.json: best_val is": lambda run: change(run / "magpie/summary.json", best_val=1),
    "summary.json: digest is": lambda run: change(run / "summary.json", digest="ab" * 32),
    "audit.jsonl says": lambda run: forge(run, "audit.jsonl"),
    "best holds": lambda run: forge(run, "best/repo/task_agent.py"),
    "ledger.jsonl: line ": lambda run: forge(run, "ledger.jsonl"),
    "run_config.json: configuration.seed is": seed_changed,
}


def forge(run: Path, name: str) -> None:
    with (run / name).open("ab") as file:
        file.write(b"{}\n")


@pytest.mark.parametrize("begins", TAMPERED)
def test_what_was_changed_in_an_export_is_told_once(exported: Path, begins: str) -> None:
    TAMPERED[begins](exported)
    (line,) = through(exported)
    assert line.startswith(begins)


def test_an_export_that_was_gone_on_with_is_told_not_to_be_compared(exported: Path) -> None:
    folder = RunFolder(exported)
    with working(folder, read_record(folder.record)) as opened:
        opened.writer.record_replacement(Replacement("not kept", ()))
    message = "the chain goes on after export.json, which you signed"
    assert any(line.startswith(message) for line in through(exported))


@pytest.mark.parametrize(
    ("original", "forged"),
    [
        ("magpie/gen_2", "magpie/gen_3"),
        ("magpie/gen_2", "magpie/gen_02"),
        ("magpie", "ghost"),
        ("test_eval/magpie", "test_eval/ghost"),
    ],
)
def test_a_folder_that_nobody_closed_is_told(copy: Path, original: str, forged: str) -> None:
    shutil.copytree(copy / original, copy / forged)
    assert through(copy) == [f"{forged} is a folder that the space does not know of"]


@pytest.mark.parametrize("path", ["NOTE.txt", "blind/repo/task_agent.py", "repo/more.py"])
def test_a_file_that_was_added_to_a_generation_is_told(copy: Path, path: str) -> None:
    added = copy / "magpie" / "gen_1" / path
    added.parent.mkdir(parents=True, exist_ok=True)
    added.write_text("x = 1\n")
    assert through(copy) == [f"magpie gen 1: {path} was added since it was closed"]


def test_a_record_that_is_not_what_the_run_was_begun_with_is_told(copy: Path) -> None:
    record = copy / "run_config.json"
    configuration = json.loads(record.read_text())["configuration"]
    configuration["models"][0] = "offline/sage"
    configuration["visible"]["val"] = "none"
    change(record, configuration=configuration, sandbox="docker", returned_models={})
    assert [line for line in through(copy) if line.startswith("run_config.json")] == [
        f"run_config.json: {field} is not what the run was begun with"
        for field in ("configuration.models", "configuration.visible", "sandbox")
    ]


def test_a_record_of_an_extended_run_is_what_it_was_extended_to(tmp_path: Path) -> None:
    options = ("--model", "offline/tinker", "--domain", "repo_quality", "--arm", "a")
    for generations in ("1", "2"):
        numbers = ("--generations", generations, "--results", tmp_path)
        assert hyperspace("solo", *options, *numbers).returncode == 0
    run = min(tmp_path.rglob("run_config.json")).parent
    assert json.loads((run / "run_config.json").read_text())["configuration"]["extended"] == [1]
    assert through(run) == []
