"""The files that every agent starts from, as bytes for a workspace."""

from functools import cache
from pathlib import Path
from types import MappingProxyType

_HERE = Path(__file__).parent


def seed_files() -> dict[str, bytes]:
    """The editable seed: `task_agent.py` and `meta_agent.py`."""
    return dict(_read_tree(_HERE / "seed"))


def runtime_files() -> dict[str, bytes]:
    """The frozen runtime: `agent/...`."""
    return dict(_read_tree(_HERE / "runtime"))


@cache
def _read_tree(root: Path) -> MappingProxyType[str, bytes]:
    """Read the modules below a folder by relative path, sorted; files beside them are ours."""
    paths = sorted(path for path in root.rglob("*.py") if path != root / "__init__.py")
    return MappingProxyType(
        {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
    )
