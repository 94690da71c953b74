import os
import subprocess
import sys
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
