"""Published-like run folders written by hand: code and tool calls, generation by generation."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hyperspace.runs.folders import read_run
from hyperspace.runs.records import Run
from transfer_experiment.analysis import detect
from transfer_experiment.findings.finding import Detail, Finding, Findings

INSTRUCTION = "Modify any part of the codebase at `/repo`."
CODE = "def rule(x):\n    return x > 1\n"
Call = tuple[str, Mapping[str, Any]]


class Gen(NamedTuple):
    """One generation as a test tells it.

    Attributes:
        calls: Tool calls, one a reply.
        results: What the tools said; empty where that does not matter.
        task: The task agent; None if there is none.
        meta: The meta agent.
        says: The last reply.
        traced: Whether there is a trace.
    """

    calls: Sequence[Call] = ()
    results: Sequence[str] = ()
    task: str | None = CODE
    meta: str = "meta = 1\n"
    says: str = "Done."
    traced: bool = True


def bash(command: str) -> Call:
    """A call of the shell."""
    return "bash", {"command": command}


def view(path: str, **more: Any) -> Call:
    """A view in the editor."""
    return "editor", {"command": "view", "path": path, **more}


def edit(path: str, old: str = "a", new: str = "b") -> Call:
    """A replacement in the editor."""
    return "editor", {"command": "str_replace", "path": path, "old_str": old, "new_str": new}


def write_run(root: Path, **agents: Sequence[Gen]) -> Run:
    """Write a run in the published form, generation 0 included, and read it."""
    run = root / "a_vs_b" / "seed1"
    for name, generations in agents.items():
        _write_generation(run / name / "gen_0", Gen(traced=False))
        for number, generation in enumerate(generations, start=1):
            _write_generation(run / name / f"gen_{number}", generation)
        (run / name / "summary.json").write_text(json.dumps({"model": name}))
    return read_run(run)


def findings_in(root: Path, *generations: Gen) -> Findings:
    """Detect what there is in a run of one agent that did this."""
    return detect(write_run(root, a=generations))


def details(finding: Finding, *names: str) -> tuple[Detail, ...]:
    """The values of some details of a finding."""
    return tuple(finding.details[name] for name in names)


def _write_generation(folder: Path, made: Gen) -> None:
    (folder / "repo").mkdir(parents=True)
    (folder / "metadata.json").write_text(json.dumps({"valid": True, "val_score": 0.5}))
    (folder / "repo" / "meta_agent.py").write_text(made.meta)
    if made.task is not None:
        (folder / "repo" / "task_agent.py").write_text(made.task)
    if made.traced:
        lines = "".join(json.dumps(line) + "\n" for line in _lines(made))
        (folder / "llm_calls.jsonl").write_text(lines)


def _lines(made: Gen) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = [{"role": "user", "content": INSTRUCTION}]
    lines: list[dict[str, Any]] = []
    for number, (name, arguments) in enumerate(made.calls):
        function = {"name": name, "arguments": json.dumps(arguments)}
        tool_calls = [{"id": f"c{number}", "function": function}]
        lines.append(
            {"model": "m", "messages": list(messages), "response": "", "tool_calls": tool_calls}
        )
        result = made.results[number] if number < len(made.results) else "ok"
        messages += [
            {"role": "assistant", "content": "", "tool_calls": tool_calls},
            {"role": "tool", "content": result, "tool_call_id": f"c{number}"},
        ]
    lines.append({"model": "m", "messages": list(messages), "response": made.says})
    return lines
