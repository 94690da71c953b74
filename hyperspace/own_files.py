"""Where this program's own files lie, in a checkout and as it is installed."""

from pathlib import Path
from typing import Final

PACKAGES: Final = ("guards", "hyperspace", "markspace", "replication", "transfer_experiment")
ROOT: Final = Path(__file__).resolve().parents[1]
"""The folder that the packages lie in."""


def agent_files() -> Path:
    """Return the folder of what is copied into workspaces: `runtime` and `seeds`."""
    installed = ROOT / "hyperspace" / "agents"
    return installed if installed.is_dir() else ROOT / "agents"
