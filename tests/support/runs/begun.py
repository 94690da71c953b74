"""Runs of ours that have begun and played nothing."""

from pathlib import Path
from typing import Final

from hyperspace.kernel.state.config import RunConfig
from hyperspace.kernel.state.folder import RunFolder
from hyperspace.kernel.state.manifest import Incident
from hyperspace.kernel.state.opening import new_record, working

CONFIG: Final = RunConfig(
    kind="pair",
    domain="repo_quality",
    data_sha256="",
    models=("offline/tinker", "offline/magpie"),
    agents=("tinker", "magpie"),
    eval_model=None,
    generations=1,
    seed=42,
)


def begun(path: Path, *incidents: Incident) -> Path:
    """Write a run of ours without a generation, in which these incidents happened."""
    with working(RunFolder(path), new_record(CONFIG, "process", ())) as opened:
        for incident in incidents:
            opened.writer.record(incident)
        for name in CONFIG.agents:
            (path / name).mkdir()
            (path / name / "summary.json").write_text("{}")
        (path / "summary.json").write_text("{}")
    return path
