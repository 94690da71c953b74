"""Runs as strangers publish them: agents, folders and files are called as they like."""

import json
from pathlib import Path
from typing import Any, Final

from tests.support.hostile.payloads import PAYLOADS, every, names, paths
from tests.support.hostile.traces import hostile_calls
from tests.support.runs.published_runs import Generation, write_run

SEED: Final = "def answer(item):\n    return item['size'] > 3\n"


def write_published_run(folder: Path) -> Path:
    """Write a run of two agents with hostile names, of which one took the other's code."""
    first, second = names()[:2]
    code = SEED + "".join(f"TEXT_{at} = {text!r}\n" for at, text in enumerate(PAYLOADS))
    took = [*_sight(second), *hostile_calls()]
    agents = {
        first: [Generation(SEED, 0.4), Generation(SEED, 0.4), Generation(code, 0.7, calls=took)],
        second: [Generation(SEED, 0.4), Generation(code, 0.6), Generation(SEED, error=every("e"))],
    }
    write_run(folder, agents)
    for name in agents:
        texts = {"model": every("model"), "agent_name": name, "domain": every("domain")}
        _write(folder / name / "run_config.json", texts | {"seed": 1, "iterations": 9})
        _write(folder / name / "summary.json", {"model": every("model"), every("field"): 1})
        for generation in range(3):
            path = folder / name / f"gen_{generation}" / "metadata.json"
            gates = {PAYLOADS[12]: every("gate")}
            _write(path, json.loads(path.read_text()) | {"gates": gates, "error_class": every("c")})
    return folder


def write_named_runs(results: Path) -> list[Path]:
    """Write a small run below every name that a folder can have."""
    folders = [results / name / "seed1" for name in paths()]
    for folder in folders:
        generations = [Generation(SEED, 0.1, calls=None), Generation(SEED, 0.2, calls=None)]
        write_run(folder, dict.fromkeys(names()[2:4], generations))
    return folders


def _sight(peer: str) -> list[dict[str, Any]]:
    """A call that shows the peer's code."""
    path = f"strategies/{peer}_gen1/task_agent.py"
    function = {"name": "bash", "arguments": json.dumps({"command": f"cat {path}"})}
    tools = [{"id": "c0", "function": function}]
    asked = [{"role": "user", "content": "Modify the code."}]
    return [{"model": "m", "messages": asked, "response": "", "tool_calls": tools}]


def _write(path: Path, value: object) -> None:
    path.write_text(json.dumps(value))
