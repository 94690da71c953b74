"""What a killed run leaves on the machine is removed by the next start of any run."""

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from guards.sandboxes.own_folder import own_folder
from guards.sandboxes.process import ProcessSandbox
from guards.sandboxes.sweep import marker
from hyperspace.kernel.generation.run_context import run_label
from hyperspace.kernel.run.leftovers import held, sweep_abandoned
from tests.support.command import kill_at, pair
from tests.support.processes import groups
from tests.support.sandboxes import needs_bubblewrap

KILLED = ("--models", "offline/tinker", "offline/magpie", "--domain", "repo_quality")


@pytest.fixture(autouse=True)
def apart(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A temporary folder of this test's: not pytest's, which the sandbox's user may not enter."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        monkeypatch.setenv("TMPDIR", folder)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield


def leftovers(label: str) -> list[Path]:
    mark, sockets = marker(label), f"hs-{label[:40]}"
    return [p for p in own_folder().iterdir() if p.name.startswith((mark, sockets))]


@pytest.mark.long
@pytest.mark.parametrize("sandbox", ["process", pytest.param("bubblewrap", marks=needs_bubblewrap)])
def test_a_killed_run_that_nobody_takes_up_is_swept_by_another_one(
    sandbox: str, tmp_path: Path
) -> None:
    log, results = tmp_path / "log", tmp_path / "killed"
    options = ("--generations", "1", "--sandbox", sandbox, "--results", results)
    done = kill_at(log, "tinker:1:call:2", "pair", *KILLED, *options)
    assert done.returncode == -signal.SIGKILL
    (record,) = results.glob("**/run_config.json")
    label = run_label(record.parent)
    assert leftovers(label)
    pair(tmp_path / "other", generations=1)
    assert not leftovers(label)
    assert not groups(label)
    assert not list(own_folder().iterdir())


def test_what_a_living_coordinator_holds_is_left_to_it() -> None:
    sandbox = ProcessSandbox()
    with held("alive", sandbox), held("alive", sandbox):  # the second has taken the run over
        (own_folder() / f"{marker('alive')}-x").mkdir()
        sweep_abandoned()
        assert len(leftovers("alive")) == 2
    assert len(leftovers("alive")) == 1  # what it leaves behind is its sandbox's business


def test_one_that_was_killed_before_it_said_anything_is_forgotten() -> None:
    path = own_folder() / f"{marker('early')}.held"
    path.touch()
    sweep_abandoned()
    assert not path.exists()


def test_a_link_in_place_of_a_lock_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text('{"label":"x","sandbox":"process"}')
    (own_folder() / "planted.held").symlink_to(target)
    sweep_abandoned()
    assert target.read_text() == '{"label":"x","sandbox":"process"}'
    assert os.path.lexists(own_folder() / "planted.held")
