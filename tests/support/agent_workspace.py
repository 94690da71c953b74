"""A workspace with the seed and the frozen runtime, and code that runs in it as in a sandbox."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import anyio

from hyperspace.broker.broker import Broker
from hyperspace.lookup.offline import OfflineModel
from hyperspace.offline.policies.scripted import ScriptedCall, ScriptedPolicy, ScriptedReply
from hyperspace.workspace.seed_code import runtime_files, seed_files

MODEL = "offline/scripted"


def scripted(*replies: ScriptedReply) -> OfflineModel:
    """A model that plays these replies, one an assistant turn."""
    return OfflineModel(MODEL, ScriptedPolicy(replies))


def says(text: str) -> ScriptedReply:
    """A reply of text alone."""
    return ScriptedReply(text=text)


def calls(*named: tuple[str, dict[str, object] | str]) -> ScriptedReply:
    """A reply that calls tools."""
    return ScriptedReply(tool_calls=tuple(ScriptedCall(name, given) for name, given in named))


def bash(command: str) -> tuple[str, dict[str, object] | str]:
    """A bash call for `calls`."""
    return "bash", {"command": command}


def make_workspace(folder: Path) -> Path:
    """Write the seed and the runtime into a folder."""
    for name, content in {**seed_files(), **runtime_files()}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder


async def run_inside(folder: Path, code: str, broker: Broker | None = None) -> str:
    """Run code in a fresh interpreter that sees the workspace and nothing else of ours.

    Returns:
        What it printed; standard error too, so that a traceback shows in a failed test.
    """
    return await _run(folder, ["import sys; sys.path.insert(0, '.')", code], broker)


async def _run(folder: Path, lines: Sequence[str], broker: Broker | None) -> str:
    environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
    if broker is not None:
        environment["HYPERSPACE_BROKER"] = str(broker.folder() / "s")
    done = await anyio.run_process(
        [sys.executable, "-I", "-S", "-c", "\n".join(lines)],
        cwd=folder,
        env=environment,
        check=False,
    )
    return done.stdout.decode() + done.stderr.decode()
