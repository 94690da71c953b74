"""Attacks on the host's watch over a workspace while its code runs."""

import tempfile
from pathlib import Path

import anyio
import msgspec

from attacks.attack import GOT_THROUGH, AttackScene, unclear
from attacks.workspace import LIMITS, modify_frame, with_meta_agent
from evolution.generation.watch import EditLog, watch_edits
from guards.sandboxes.sandbox import Job

SETTLE_S = 0.3
RECORD = "edits.jsonl"


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
