"""Code of the person's own that ends the process, or tries to: never in silence, never with 0."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import ROOT

PLACES = {
    "at import": "import os\nos._exit({status})\n",
    "when it is made": "import os\ndef mine(data, options):\n    os._exit({status})\n",
}


@pytest.mark.parametrize("status", [0, 3])
@pytest.mark.parametrize("place", PLACES)
def test_a_domain_that_ends_the_process_is_named(tmp_path: Path, place: str, status: int) -> None:
    file = tmp_path / "domain.py"
    file.write_text(PLACES[place].format(status=status))
    command = [sys.executable, "-m", "hyperspace", "domains", f"{file}:mine"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == (status or 1)
    assert done.stderr.startswith(f"hyperspace: ended by os._exit({status}) in {file}, line ")


def test_a_child_that_it_forked_ends_as_it_likes(tmp_path: Path) -> None:
    file = tmp_path / "domain.py"
    file.write_text(
        "import os\nif not (child := os.fork()):\n    os._exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "from hyperspace.tasks.repo_quality.domain import make as mine\n"
    )
    command = [sys.executable, "-m", "hyperspace", "domains", f"{file}:mine"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert "os._exit" not in done.stderr
