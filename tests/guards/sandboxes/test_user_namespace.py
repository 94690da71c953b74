"""Root of a user namespace that has no other user: our own user, as the kernel sees it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import pair
from tests.support.paths import ROOT
from tests.support.sandboxes import needs_bubblewrap

ALONE = ("unshare", "--map-root-user", "--net")


def can_be_alone() -> bool:
    return subprocess.run([*ALONE, "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.long
@needs_bubblewrap
@pytest.mark.skipif(not can_be_alone(), reason="no user namespaces can be made here")
def test_a_run_is_replayed_in_a_sandbox_there(tmp_path: Path) -> None:
    run = pair(tmp_path, "--sandbox", "bubblewrap", generations=1)["run"]
    replay = [sys.executable, "-m", "hyperspace", "replay", run]
    done = subprocess.run([*ALONE, *replay], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    assert "as recorded" in done.stdout
