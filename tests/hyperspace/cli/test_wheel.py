"""The wheel: what it puts into an environment, and that it plays there."""

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from hyperspace.own_files import PACKAGES
from tests.support.paths import ROOT

pytestmark = pytest.mark.long
THEIRS = '"""Another SDK."""\nraise RuntimeError("was imported")\n'
PAIR = ("pair", "--models", "offline/tinker", "offline/magpie", "--domain", "repo_quality")


def test_a_wheel_plays_and_shows_pages_beside_another_programs_agents(tmp_path: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("hyperspace_agents-*.whl")
    names = {name.split("/")[0] for name in ZipFile(wheel).namelist()}
    assert {name for name in names if not name.endswith(".dist-info")} == set(PACKAGES)
    site = tmp_path / "site"
    install = [*pip, "install", "--no-deps", "--target", str(site), str(wheel)]
    subprocess.run(install, check=True, capture_output=True)
    (site / "agents").mkdir()
    (site / "agents" / "__init__.py").write_text(THEIRS)  # as the OpenAI Agents SDK's
    run = "r/repo_quality/tinker_vs_magpie/seed42"
    for words in (
        (*PAIR, "--generations", "1", "--seed", "42", "--results", "r"),
        ("analyze", run, "--html", "analysis.html"),  # its templates are there
        ("dashboard", "--bundle", run, "--out", "pages"),
    ):
        done = subprocess.run(
            [sys.executable, "-P", "-m", "hyperspace", *words],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(site)},
            cwd=tmp_path,
            check=False,
        )
        assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
    for file in (f"{run}/summary.json", "analysis.html", "pages/index.html"):
        assert (tmp_path / file).is_file()
