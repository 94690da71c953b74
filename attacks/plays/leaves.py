"""Attacks by what a meta agent leaves in its workspace."""

import os
from collections.abc import Mapping

import msgspec

from attacks.attack import GOT_THROUGH, AttackScene, unclear
from attacks.workspace import LIMITS, modify_frame, with_meta_agent
from guards.defences import Defence, Without
from guards.sandboxes.sandbox import Job
from guards.scope.edit_scope import EditScope
from guards.scope.ingest import Ingest, IngestLimits, ingest

SCOPE = EditScope(("task_agent.py", "meta_agent.py"))
BOUNDS: Mapping[Defence, dict[str, int]] = {
    Defence.INGEST_SIZE: {"file_bytes": 1 << 40, "total_bytes": 1 << 40},
    Defence.INGEST_ENTRIES: {"entries": 1_000_000},
    Defence.INGEST_DEPTH: {"depth": 1_000},
}


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
