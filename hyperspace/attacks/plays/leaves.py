"""Attacks by what a meta agent leaves in its workspace, or does to it while the host watches."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import anyio
import msgspec

from guards.defences import Defence, Without
from guards.sandboxes.sandbox import Job
from guards.scope.edit_scope import EditScope
from guards.scope.ingest import Ingest, IngestLimits, ingest
from hyperspace.attacks.attack import GOT_THROUGH, AttackScene, unclear
from hyperspace.attacks.workspace import LIMITS, modify_frame, with_meta_agent
from hyperspace.kernel.generation.observing.watch import EditLog, watch_edits

SCOPE = EditScope(("task_agent.py", "meta_agent.py"))
BOUNDS: Mapping[Defence, dict[str, int]] = {
    Defence.INGEST_SIZE: {"file_bytes": 1 << 40, "total_bytes": 1 << 40},
    Defence.INGEST_ENTRIES: {"entries": 1_000_000},
    Defence.INGEST_DEPTH: {"depth": 1_000},
}


SETTLE_S = 0.3
RECORD = "edits.jsonl"


class Leaves(msgspec.Struct, frozen=True):
    """Leaves something behind that must not become anybody's code.

    Attributes:
        code: Body of a meta agent's `forward`; `{folder}` is the target's folder on the host.
        left: Path and kind of every change that must go on record, and be put back.
        scope: What the agent may edit.
        expected: The verdict when every change is put back.
    """

    code: str
    left: frozenset[tuple[str, str]]
    scope: EditScope = SCOPE
    expected: str = "reverted"

    async def play(self, scene: AttackScene) -> str:
        """Run it, then take in its workspace."""
        files = with_meta_agent(self.code.replace("{folder}", str(scene.target.folder)))
        job = Job("modify", files, None, scene.bounded(LIMITS))
        async with scene.sandbox.start(job) as running:
            reply = await running.request(modify_frame(running.inside_path), 20.0)
            folder = await running.finish()
        if reply != {"ok": True}:
            os.close(folder)
            return unclear(reply)
        taken = _taken(folder, files, self.scope, scene.without)
        own = {path: text for path, text in files.items() if self.scope.permits(path)}
        accepted = any(change.verdict == "accepted" for change in taken.changes)
        if accepted or taken.files != own or not taken.changes:
            return GOT_THROUGH
        left = frozenset((change.path, str(change.kind)) for change in taken.changes)
        return "reverted" if left == self.left else unclear(sorted(left))


def leaves(code: str, *left: tuple[str, str]) -> Leaves:
    """An attack under the usual scope."""
    return Leaves(code, frozenset(left))


def _taken(folder: int, files: Mapping[str, bytes], scope: EditScope, without: Without) -> Ingest:
    bounds: dict[str, int] = {}
    for defence in without & BOUNDS.keys():
        bounds |= BOUNDS[defence]
    try:
        return ingest(folder, files, scope, IngestLimits(**bounds), without)
    finally:
        os.close(folder)


class MisleadsWatch(msgspec.Struct, frozen=True):
    """Tries to lead who watches edits to the host's own files.

    Attributes:
        code: Body of a meta agent's `forward`; `{folder}` is the target's folder on the host.
        expected: The verdict when the host watches the workspace and nothing else.
    """

    code: str
    expected: str = "unseen"

    async def play(self, scene: AttackScene) -> str:
        """Run it, change a file of the host, and see whether that was noticed."""
        files = with_meta_agent(self.code.replace("{folder}", str(scene.target.folder)))
        job = Job("modify", files, None, scene.bounded(LIMITS))
        with tempfile.TemporaryDirectory(prefix="hyperspace-watch-") as name:
            async with (
                scene.sandbox.start(job) as running,
                watch_edits(running.workspace, files, EditLog(Path(name), int), scene.without),
            ):
                reply = await running.request(modify_frame(running.inside_path), 20.0)
                await anyio.sleep(SETTLE_S)
                (scene.target.folder / "touched").write_text("by the host")
                await anyio.sleep(SETTLE_S)
            if reply != {"ok": True}:
                return unclear(reply)
            return _verdict(Path(name, RECORD))


def _verdict(record: Path) -> str:
    text = record.read_text() if record.exists() else ""
    if "touched" in text:
        return GOT_THROUGH
    return "unseen" if "own_edit" in text else unclear("its own edits were not seen")
