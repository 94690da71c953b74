"""Steps 3 and 4: the agent rewrites its own code in a sandbox; the guard judges what came out."""

import os
from contextlib import closing
from typing import Any

import msgspec

from guards.sandboxes.sandbox import Running, SandboxEnded
from guards.scope.ingest import Ingest, IngestLimits, ingest
from hyperspace.kernel.evaluation.outages import raise_if_down
from hyperspace.kernel.generation.attempt import Attempt
from hyperspace.kernel.generation.candidate import Candidate
from hyperspace.kernel.generation.observing.accesses import AccessLog, AccessWatch
from hyperspace.kernel.generation.observing.watch import watch_edits, write_final_edits
from hyperspace.models.names import asked_name

# Larger than any published agent (134 kB); comparing texts costs their length squared.
CODE_LIMITS = IngestLimits(file_bytes=200_000)


class Modified(msgspec.Struct, frozen=True):
    """A modification that has ended.

    Attributes:
        error: Why the meta agent failed; empty when it ended well.
        timed_out: Whether the wall clock ended it.
        taken: The code that came out, and each change with the guard's verdict.
    """

    error: str
    timed_out: bool
    taken: Ingest


async def modify(attempt: Attempt, candidate: Candidate, files: dict[str, bytes]) -> Modified:
    """Run the meta agent once on a workspace and take in what its edit scope allows.

    The meta agent is the workspace's own, or generation 0's where the run's terms freeze it.

    A wall-clock limit that strikes is retried once, because a busy machine may be to blame.

    Raises:
        RunPaused: The model is down.
    """
    log = AccessLog(attempt.candidate_folder(candidate.role))
    first = await _try(attempt, candidate, files, log, "")
    return await _try(attempt, candidate, files, log, "retry") if first.timed_out else first


async def _try(
    attempt: Attempt, candidate: Candidate, files: dict[str, bytes], log: AccessLog, item: str
) -> Modified:
    attempt.reach("modify")
    edits, tell = attempt.edit_log(candidate.role), attempt.context.tell_once
    async with attempt.sandboxes.start(
        "modify",
        files,
        attempt.who.model,
        candidate.role,
        is_ours=attempt.is_first_code(candidate),
    ) as (running, broker):
        broker.begin_item("modify", candidate.label(item))
        with closing(AccessWatch(running, files, log, tell)) as accesses:
            attempt.before_reply = accesses.begin_step
            async with (
                watch_edits(running.workspace, files, edits, read=accesses.read, tell=tell),
                accesses.observe(),
            ):
                error, timed_out = await _run_meta_agent(attempt, running)
            raise_if_down(broker)
            workspace = await running.finish()
            accesses.end_step()
        attempt.reach("ingest")
        try:
            taken = ingest(workspace, files, attempt.edit_scope, CODE_LIMITS)
        finally:
            os.close(workspace)
        write_final_edits(edits, taken.changes)
        return Modified(error, timed_out, taken)


async def _run_meta_agent(attempt: Attempt, running: Running) -> tuple[str, bool]:
    config = attempt.context.config
    frame: dict[str, Any] = {
        "op": "modify",
        "model": asked_name(attempt.who.model.name),
        "repo_path": running.inside_path,
        "eval_path": f"{running.inside_path}/evals",
        "iterations_left": config.iterations_left(attempt.who.name, attempt.generation),
    }
    if config.solo is not None and config.solo.frozen_meta:
        frame["code"] = attempt.context.marks.code(attempt.who.name, 0)
    try:
        reply = await running.request(frame, attempt.context.pace.modify_s)
    except SandboxEnded as ended:
        return str(ended), ended.reason == "wall_clock"
    return "" if reply.get("ok") is True else str(reply.get("error") or "it failed"), False
