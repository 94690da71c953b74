"""Commands in an empty network namespace: nothing can be reached, this machine included."""

import subprocess

from tests.support.servers.server import ROOT


def without_network(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end where there is no network; fails where that is refused."""
    inside = ["unshare", "--net", *command]
    return subprocess.run(inside, cwd=ROOT, capture_output=True, text=True, check=False)
