"""The files that every agent starts from, as bytes for a workspace."""

from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal

_AGENTS = Path(__file__).parents[1]
_TOOLBOX = "agent/tools/__init__.py"
_NEED_TOOL = "agent/tools/need.py"
_WITH_NEED = (
    (b"import EditorTool\n", b"import EditorTool\nfrom .need import NeedTool\n"),
    (b"(BashTool(), EditorTool())", b"(BashTool(), EditorTool(), NeedTool())"),
)


def seed_files(meta_agent: Literal["published", "informed"] = "published") -> dict[str, bytes]:
    """The editable seed: `task_agent.py` and `meta_agent.py`.

    Args:
        meta_agent: `published` ignores its history and the iterations left, as published;
            `informed` tells the model of them.
    """
    seed = dict(_read_tree(_AGENTS / "seeds" / "base"))
    return seed if meta_agent == "published" else seed | _read_tree(_AGENTS / "seeds" / "informed")


def selection_files() -> dict[str, bytes]:
    """The file that an agent which may choose its parents has beside the seed."""
    return dict(_read_tree(_AGENTS / "seeds" / "selection"))


def diagnosis_files() -> dict[str, bytes]:
    """The meta agent of the arms with a fixed diagnosis: it solves the problem that is stated."""
    return dict(_read_tree(_AGENTS / "seeds" / "diagnosis"))


def seed_of_tester() -> dict[str, bytes]:
    """What a tester of an arena starts from: its meta agent, and a file for cases."""
    return {**_read_tree(_AGENTS / "seeds" / "tester"), "cases.jsonl": b""}


def runtime_files(*, needs: bool = False) -> dict[str, bytes]:
    """The frozen runtime: `agent/...`.

    Args:
        needs: Whether agents have the tool that asks the principal; without it, no byte tells of
            the tool.
    """
    files = dict(_read_tree(_AGENTS / "runtime"))
    tool = files.pop(_NEED_TOOL)
    if not needs:
        return files
    toolbox = files[_TOOLBOX]
    for without, with_it in _WITH_NEED:
        toolbox = toolbox.replace(without, with_it)
    return files | {_NEED_TOOL: tool, _TOOLBOX: toolbox}


@cache
def _read_tree(root: Path) -> MappingProxyType[str, bytes]:
    """Read the modules below a folder by relative path, sorted; files beside them are ours."""
    paths = sorted(path for path in root.rglob("*.py") if path != root / "__init__.py")
    return MappingProxyType(
        {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
    )
