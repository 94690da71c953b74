"""Packages of other programs under names of ours are noticed before anything is imported."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from hyperspace.start import PACKAGES
from tests.support.paths import ROOT

THEIRS = '"""Another SDK."""\nraise RuntimeError("was imported")\n'


def started(*path: Path) -> subprocess.CompletedProcess[str]:
    """Start the program with some folders before all others, and none of this checkout's own."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    command = [sys.executable, "-P", "-m", "hyperspace", "--version"]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, cwd="/", check=False
    )


@pytest.mark.parametrize("name", ["agents", "runs"])
def test_a_package_that_stands_before_ours_is_named(name: str, tmp_path: Path) -> None:
    theirs = tmp_path / name / "__init__.py"
    theirs.parent.mkdir()
    theirs.write_text(THEIRS)
    done = started(tmp_path, ROOT)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"the package {name!r} here is another program's ({theirs})" in done.stderr
    assert "pipx" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.long
def test_a_wheel_runs_until_another_is_installed_over_it(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("hyperspace_agents-*.whl")
    site = tmp_path / "site"
    install = [*pip, "install", "--no-deps", "--target", str(site), str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    assert started(site).stdout.startswith("hyperspace ")
    (site / "agents" / "__init__.py").write_text(THEIRS)
    done = started(site)
    assert done.returncode == 1
    assert str(site / "agents" / "__init__.py") in done.stderr


def test_every_package_of_the_wheel_is_looked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert sorted(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) == sorted(
        PACKAGES
    )
