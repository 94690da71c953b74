"""`scripts/setup` says what takes its time before it takes it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.paths import ROOT

STAND_IN = """#!/bin/sh
case "$*" in
    "-m venv .venv") mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
    "-m pip install"*) echo "pip $*" ;;
esac
"""


@pytest.mark.parametrize(("tier", "time"), [("core", "about a minute"), ("dev", "some minutes")])
def test_it_tells_of_the_wait_before_it_installs(tmp_path: Path, tier: str, time: str) -> None:
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    python = tmp_path / "stand_in"
    python.write_text(STAND_IN)
    python.chmod(0o755)
    (tmp_path / "scripts" / "system-packages").write_text("#!/bin/sh\necho packages\n")
    done = subprocess.run(
        ["scripts/setup", tier],
        cwd=tmp_path,
        env={**os.environ, "PYTHON": str(python)},
        capture_output=True,
        text=True,
        check=True,
    )
    first, packages, *pips = done.stdout.splitlines()
    assert first == f"setup: installing into .venv ({time})"
    assert packages == "packages"
    assert [f"scripts/requirements/{tier}.lock" in line for line in pips] == [True, False]
