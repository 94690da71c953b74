"""A trace is opened once for a whole analysis, whoever asks what of it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.support.paths import ROOT
from tests.support.runs.published_runs import Generation, conversation, write_run

CODE = "def rule(x):\n    return x > 1\n"
COUNTED = """
import json, sys
from collections import Counter
from hyperspace.cli.main import main

opened = Counter()
sys.addaudithook(lambda event, args: opened.update([str(args[0])]) if event == "open" else None)
code = main(["analyze", sys.argv[1], "--csv", sys.argv[2]])
print(json.dumps({path: count for path, count in opened.items() if "llm_calls" in path}))
sys.exit(code)
"""


def times_opened(base: Path, tables: Path) -> dict[str, int]:
    """Analyse runs in a process of its own, and count how often it opens each trace."""
    command = [sys.executable, "-c", COUNTED, str(base), str(tables)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    counts: Any = json.loads(done.stdout.splitlines()[-1])
    return counts


def test_an_analysis_opens_each_trace_once(tmp_path: Path) -> None:
    calls = conversation(("cat strategies/b_gen0/task_agent.py", CODE), "I adopted b_gen0.")
    turns = [Generation(CODE + f"x = {number} + 1\n", calls=calls) for number in range(3)]
    run = write_run(tmp_path / "a_vs_b" / "seed1", {"a": turns, "b": turns})
    traces = [str(path) for path in run.rglob("llm_calls.jsonl")]
    assert len(traces) == 6
    assert times_opened(run, tmp_path / "tables") == dict.fromkeys(traces, 1)
