"""Where an export unpacks: the place of the run below a results folder, wherever it lies."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from tests.support.command import hyperspace
from tests.support.runs.fleet_files import fleet_file

pytestmark = pytest.mark.long

NUMBERS: Final = ("--seeds", "1", "--generations", "1")
OF_ARMS: Final = {"repo_quality/two/seed1", "repo_quality/two_none/seed1"}
Record = dict[str, Any]


@pytest.fixture(scope="module")
def arms(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two arms of a fleet that its file calls `two`."""
    folder = tmp_path_factory.mktemp("arms")
    agents = ('model = "offline/tinker"', 'model = "offline/magpie"')
    file = fleet_file(folder / "two.toml", "", *agents, name="two")
    command = ("fleet", "--config", file, "--arms", "sharing,none", *NUMBERS)
    done = hyperspace(*command, "--results", folder / "results", "--json")
    assert done.returncode == 0, done.stderr
    return sorted(path.parent for path in folder.glob("results/*/*/*/run_config.json"))


def place(run: Path, folder: Path, *options: str) -> str:
    """Where an export of a run says that it belongs, and unpacks."""
    target = folder / "run.zip"
    done = hyperspace("export", run, "--out", target, *options, "--json")
    assert done.returncode == 0, done.stderr
    shutil.unpack_archive(target, folder / "unpacked")
    (record,) = (folder / "unpacked").rglob("run_config.json")
    unpacked = record.parent.relative_to(folder / "unpacked").as_posix()
    assert json.loads(done.stdout)["run"] == unpacked
    shutil.rmtree(folder / "unpacked")
    target.unlink()
    return unpacked


def rewritten(run: Path, change: Callable[[Record], object]) -> Path:
    record = json.loads((run / "run_config.json").read_text())
    change(record)
    (run / "run_config.json").write_text(json.dumps(record))
    return run


@pytest.mark.parametrize("options", [(), ("--redact",)])
def test_each_arm_of_a_fleet_has_a_place_of_its_own_also_when_it_was_copied(
    arms: list[Path], tmp_path: Path, options: tuple[str, ...]
) -> None:
    assert {place(run, tmp_path, *options) for run in arms} == OF_ARMS
    copies = [shutil.copytree(run, tmp_path / run.parent.name) for run in arms]
    assert {place(run, tmp_path, *options) for run in copies} == OF_ARMS


def test_a_record_of_an_earlier_version_leaves_it_to_the_folders(
    arms: list[Path], tmp_path: Path
) -> None:
    inside = "repo_quality/two_none/seed1"
    old = shutil.copytree(arms[1], tmp_path / inside)
    rewritten(old, lambda record: record.pop("run_place"))
    assert place(old, tmp_path) == inside
    copied = shutil.copytree(old, tmp_path / "ada" / "private" / "seed1")
    assert place(copied, tmp_path) == "repo_quality/tinker_vs_magpie/seed1"


@pytest.mark.parametrize("forged", ["../../etc/seed1", "/etc/seed1", "a/.git", "seed1", ""])
def test_a_record_that_names_no_place_below_a_results_folder_is_not_believed(
    arms: list[Path], tmp_path: Path, forged: str
) -> None:
    copied = shutil.copytree(arms[0], tmp_path / "copy")
    rewritten(copied, lambda record: record.update(run_place=forged))
    assert place(copied, tmp_path) == "repo_quality/tinker_vs_magpie/seed1"
