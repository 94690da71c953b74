"""Run folders as they were published, written by a generator of our own, whole or damaged."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 123456\n"
META = "def modify(workspace):\n    return None\n"


class Generation(msgspec.Struct, frozen=True):
    """One generation as it lies on disk.

    Attributes:
        code: Text of task_agent.py; None leaves repo/ out.
        val: Validation score; None leaves it out, `"null"` writes null.
        calls: Lines of the trace; a text is written as it is; None writes no trace.
        meta: Text of meta_agent.py.
        error: Makes it invalid.
    """

    code: str | None
    val: float | str | None = 0.5
    calls: Sequence[dict[str, Any]] | str | None = ()
    meta: str = META
    error: str = ""


def write_run(root: Path, agents: Mapping[str, Sequence[Generation]]) -> Path:
    """Write a run folder `<pairing>/seed<n>`."""
    for name, generations in agents.items():
        for number, generation in enumerate(generations):
            _write_generation(root / name / f"gen_{number}", number, generation)
        summary = {"model": name, "archive_size": len(generations), "best_val": 0.5}
        (root / name / "summary.json").write_text(json.dumps(summary))
        config = {"model": f"models/{name}", "agent_name": name, "seed": 1, "iterations": 9}
        (root / name / "run_config.json").write_text(json.dumps(config))
    return root


def _write_generation(folder: Path, number: int, generation: Generation) -> None:
    folder.mkdir(parents=True)
    metadata: dict[str, Any] = {"valid": not generation.error}
    if generation.error:
        metadata["error"] = generation.error
    if generation.val is not None:
        metadata["val_score"] = None if generation.val == "null" else generation.val
    if number == 0:
        metadata["is_initial"] = True
    (folder / "metadata.json").write_text(json.dumps(metadata))
    if generation.code is not None:
        (folder / "repo").mkdir()
        (folder / "repo" / "task_agent.py").write_text(generation.code)
        (folder / "repo" / "meta_agent.py").write_text(generation.meta)
    if generation.calls is not None:
        calls = generation.calls
        text = calls if isinstance(calls, str) else "".join(json.dumps(c) + "\n" for c in calls)
        (folder / "llm_calls.jsonl").write_text(text)


def conversation(*steps: str | tuple[str, str], model: str = "m") -> list[dict[str, Any]]:
    """A meta agent's calls: a shell command with what it printed, or a last reply.

    Args:
        steps: `(command, result)` for a call of bash; a text for a reply without one.
        model: Who is asked.
    """
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Modify the code."}]
    calls: list[dict[str, Any]] = []
    for number, step in enumerate(steps):
        tool_calls = None if isinstance(step, str) else [_bash(f"c{number}", step[0])]
        words = step if isinstance(step, str) else f"I run step {number}."
        calls.append(_call(model, list(messages), words, tool_calls))
        messages.append({"role": "assistant", "content": words, "tool_calls": tool_calls})
        if not isinstance(step, str):
            messages.append({"role": "tool", "content": step[1], "tool_call_id": f"c{number}"})
    return calls


def evaluation(model: str = "grader") -> dict[str, Any]:
    """A call of the task agent under evaluation."""
    return _call(model, [{"role": "user", "content": "Grade this."}], "correct", None)


def _bash(name: str, command: str) -> dict[str, Any]:
    arguments = json.dumps({"command": command})
    return {"id": name, "function": {"name": "bash", "arguments": arguments}}


def _call(
    model: str, messages: list[dict[str, Any]], words: str, tool_calls: list[dict[str, Any]] | None
) -> dict[str, Any]:
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {
        "call_id": "x",
        "timestamp": "2026-01-01T00:00:00Z",
        "model": model,
        "messages": messages,
        "response": words,
        "thinking": None,
        "tool_calls": tool_calls,
        "usage": usage,
    }
