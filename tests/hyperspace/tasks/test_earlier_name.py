"""A task's file that was written with the package's earlier name is the same task."""

import os
import subprocess
import sys
from pathlib import Path

from hyperspace.tasks.base import Domain
from hyperspace.tasks.registry import load
from tests.support.paths import ROOT

PRESENT = (ROOT / "docs" / "examples" / "domain.py").read_text("utf-8")
EARLIER = PRESENT.replace("from hyperspace.tasks.", "from domains.")
LOOKS = """
from hyperspace.tasks.earlier_name import allow_earlier_name
import hyperspace.tasks.base as ours
spec = ours.__spec__
allow_earlier_name()
import domains.base
assert domains.base is ours and ours.__spec__ is spec
try:
    import domains.nothing
except ModuleNotFoundError as error:
    print(error)
"""


def task(file: Path, text: str) -> Domain:
    file.write_text(text)
    return load(f"{file}:parcels")


def test_a_file_with_the_earlier_name_is_the_same_task(tmp_path: Path) -> None:
    assert "from domains.base" in EARLIER
    earlier, present = (
        task(tmp_path / f"{name}.py", text)
        for name, text in {"earlier": EARLIER, "present": PRESENT}.items()
    )
    assert type(earlier) is type(present)
    assert list(earlier.items("train")) == list(present.items("train"))


def test_no_module_is_made_twice_and_what_is_not_there_is_told(tmp_path: Path) -> None:
    # As a checkout is left that was brought up to date: caches keep the old folders.
    (tmp_path / "domains" / "__pycache__").mkdir(parents=True)
    path = os.pathsep.join((str(tmp_path), str(ROOT)))
    done = subprocess.run(
        [sys.executable, "-c", LOOKS],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.stdout == "No module named 'hyperspace.tasks.nothing'\n"
