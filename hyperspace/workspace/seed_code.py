"""The files that every agent starts from, as bytes for a workspace."""

import re
from functools import cache
from pathlib import Path
from types import MappingProxyType

from hyperspace.own_files import agent_files
from hyperspace.workspace.seed_agent import PUBLISHED, SHOWN, SeedAgent, read_seed_agent

META_AGENT = "meta_agent.py"
_TOOLBOX = "agent/tools/__init__.py"
_NEED_TOOL = "agent/tools/need.py"
_WITH_NEED = (
    (b"import EditorTool\n", b"import EditorTool\nfrom .need import NeedTool\n"),
    (b"(BashTool(), EditorTool())", b"(BashTool(), EditorTool(), NeedTool())"),
)


def seed_files(seed_agent: str = PUBLISHED, *, learns: bool = True) -> dict[str, bytes]:
    """The editable seed: `task_agent.py` and `meta_agent.py`.

    Args:
        seed_agent: As `seed_agent.read_seed_agent` reads it.
        learns: Whether `shown` may note in its own file which form of answers its model masters.

    Raises:
        ValueError: There is no such seed agent.
    """
    chosen = read_seed_agent(seed_agent)
    seed = dict(_read_tree(agent_files() / "seeds" / "base"))
    if chosen.name == PUBLISHED:
        return seed
    seed |= _read_tree(agent_files() / "seeds" / chosen.name)
    return seed | {META_AGENT: _adjusted(seed[META_AGENT], chosen, learns)}


def _adjusted(meta_agent: bytes, chosen: SeedAgent, learns: bool) -> bytes:
    """Write a seed agent's options into its constants."""
    if chosen.name != SHOWN:
        return meta_agent
    values = {"FORM": f'"{chosen.form}"', "TRIES": chosen.tries, "LEARNS": learns}
    text = meta_agent.decode()
    for name, value in values.items():
        text = re.sub(rf"(?m)^({name}(?:: \w+)? = )[^ \n]+", rf"\g<1>{value}", text)
    return text.encode()


def selection_files() -> dict[str, bytes]:
    """The file that an agent which may choose its parents has beside the seed."""
    return dict(_read_tree(agent_files() / "seeds" / "selection"))


def diagnosis_files() -> dict[str, bytes]:
    """The meta agent of the arms with a fixed diagnosis: it solves the problem that is stated."""
    return dict(_read_tree(agent_files() / "seeds" / "diagnosis"))


def seed_of_tester() -> dict[str, bytes]:
    """What a tester of an arena starts from: its meta agent, and a file for cases."""
    return {**_read_tree(agent_files() / "seeds" / "tester"), "cases.jsonl": b""}


def runtime_files(*, needs: bool = False) -> dict[str, bytes]:
    """The frozen runtime: `agent/...`.

    Args:
        needs: Whether agents have the tool that asks the principal; without it, no byte tells of
            the tool.
    """
    files = dict(_read_tree(agent_files() / "runtime"))
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
