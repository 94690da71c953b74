import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from guards.sandboxes.bubblewrap.bubblewrap import probe
from guards.sandboxes.bubblewrap.confinement import find_interpreter
from guards.sandboxes.choose import choose
from guards.sandboxes.sandbox import SandboxUnavailable
from tests.support.paths import ROOT
from tests.support.sandboxes import needs_bubblewrap

WITHOUT = """
from guards.sandboxes.choose import choose
from guards.sandboxes.sandbox import SandboxUnavailable
choice = choose("auto", needs_boundary=False)
print(choice.sandbox.name, "|", choice.notice)
for name in ("auto", "bubblewrap"):
    try: choose(name, needs_boundary=True)
    except SandboxUnavailable as error: print(name, "|", error)
"""


@needs_bubblewrap
@pytest.mark.parametrize("name", ["auto", "bubblewrap"])
def test_bubblewrap_is_chosen_where_it_works(name: str) -> None:
    choice = choose(name, needs_boundary=True)
    assert (choice.sandbox.name, choice.sandbox.is_boundary, choice.notice) == (
        "bubblewrap",
        True,
        "",
    )


def test_a_process_is_chosen_by_name_with_a_notice() -> None:
    choice = choose("process", needs_boundary=True)
    assert not choice.sandbox.is_boundary
    assert "does not confine" in choice.notice and "\n" not in choice.notice


def test_an_unknown_name_is_told_with_the_known_ones() -> None:
    with pytest.raises(
        SandboxUnavailable,
        match="'jail'; there are auto, bubblewrap, docker, bubblewrap-cold, process",
    ):
        choose("jail", needs_boundary=False)


def test_without_bubblewrap_only_harmless_code_falls_back_and_both_are_told_how(
    tmp_path: Path,
) -> None:
    # A machine without bubblewrap, an empty PATH, and without Docker.
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        cwd=ROOT,
        env={**os.environ, "PATH": str(tmp_path), "DOCKER_HOST": "unix:///nowhere"},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert lines[0].startswith("process | ") and "apt-get install bubblewrap" in lines[0]
    assert [line.split(" | ")[0] for line in lines[1:]] == ["auto", "bubblewrap"]
    assert all("not installed" in line for line in lines)


@pytest.fixture
def open_folder() -> Generator[Path]:
    """A folder that whoever a sandbox runs as may enter and write to."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


def disturbed(folder: Path, *, starts: int, how: str) -> list[str]:
    """What is chosen where the first starts of bubblewrap are disturbed, and how often it began."""
    real = shutil.which("bwrap")
    bwrap = folder / "bwrap"
    bwrap.write_text(
        f"#!/bin/sh\necho >>{folder}/starts\n"
        f'[ "$(wc -l <{folder}/starts)" -gt {starts} ] && exec {real} "$@"\n{how}\n'
    )
    bwrap.chmod(0o755)
    path = f"{folder}:/usr/bin:/bin"
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT],
        cwd=ROOT,
        env={**os.environ, "PATH": path, "DOCKER_HOST": "unix:///nowhere"},
        capture_output=True,
        text=True,
        check=False,
    )
    began = len((folder / "starts").read_text().splitlines())
    return [*(done.stdout or done.stderr).splitlines(), str(began)]


OUT_OF_MEMORY = "echo 'bwrap: Creating new namespace failed: Cannot allocate memory' >&2; exit 1"
REFUSED = "echo 'bwrap: Creating new namespace failed: Operation not permitted' >&2; exit 1"


@needs_bubblewrap
@pytest.mark.parametrize("how", [OUT_OF_MEMORY, "kill -9 $$"])
def test_a_boundary_that_was_disturbed_is_tried_again(open_folder: Path, how: str) -> None:
    assert disturbed(open_folder, starts=2, how=how) == ["bubblewrap | ", "3"]


@pytest.mark.parametrize("how", [OUT_OF_MEMORY, "kill -9 $$"])
def test_nothing_weaker_is_taken_for_a_boundary_that_does_not_start(
    open_folder: Path, how: str
) -> None:
    *_, last, began = disturbed(open_folder, starts=99, how=how)
    assert "SandboxUnavailable: bubblewrap did not start a sandbox" in last
    assert "it was tried 3 times" in last and "--sandbox process" in last
    assert began == "3"


def test_what_the_kernel_refuses_is_absent_and_tried_once(open_folder: Path) -> None:
    first, *others, began = disturbed(open_folder, starts=99, how=REFUSED)
    assert first.startswith("process | ") and "namespaces seem to be refused" in first
    assert [line.split(" | ")[0] for line in others] == ["auto", "bubblewrap"]
    assert began == "1"


def test_a_python_out_of_reach_is_replaced_by_the_systems(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o700)
    try:
        python = find_interpreter(tmp_path / "closed", 60_000)
    except SandboxUnavailable as error:
        assert "3.11" in str(error)
    else:
        assert python.path.startswith("/usr/bin/python3.") and not python.mounts


def test_a_python_within_reach_is_mounted_without_its_packages(tmp_path: Path) -> None:
    name = f"python3.{sys.version_info.minor}"
    for folder in ("bin", f"lib/{name}/site-packages"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "bin" / name).touch()
    (tmp_path / "lib/libpython3.so.1.0").touch()
    python = find_interpreter(tmp_path, None)
    assert python.path == "/opt/python/bin/python3"
    assert f"--tmpfs /opt/python/lib/{name}/site-packages" in " ".join(python.mounts)
    assert python.environment == (("LD_LIBRARY_PATH", "/opt/python/shared"),)


def test_the_probe_is_asked_once() -> None:
    assert probe() == probe()
