"""CPU time of a candidate, split by who uses it.

One solo run in bubblewrap, in a process of its own, against a local model server: each candidate
looks at its task agent, inserts a line and is evaluated (3 model calls, 5 sandboxes, 41 answers).
Then the same number of candidates that are started, taken through the gates and ended, no more.

    python -m benchmarks.candidates --candidates 200
"""

import argparse
import json
import tempfile
from asyncio import Runner
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from benchmarks.candidate import Candidate
from benchmarks.candidates.metered import own_cpu_s
from benchmarks.candidates.model_server import model_server, play_metered
from benchmarks.counted import Seconds, counted
from guards.sandboxes.bubblewrap.bubblewrap import probe
from guards.sandboxes.bubblewrap.warm import WarmBubblewrapSandbox

CANDIDATES = 200
NAME = "inserter"
SCRIPT = [
    {"tool_calls": [{"name": "editor", "arguments": {"command": "view", "path": "task_agent.py"}}]},
    {
        "tool_calls": [
            {
                "name": "editor",
                "arguments": {
                    "command": "insert",
                    "path": "task_agent.py",
                    "insert_line": 1,
                    "new_str": "# Looked at once more.\n",
                },
            }
        ]
    },
    {"text": "Done."},
]


class Split(NamedTuple):
    """CPU time a candidate, in milliseconds.

    Attributes:
        coordinator: Of the process that plays, start of the program included (RUSAGE_SELF).
        sandboxes: Of all else in its control group: the template and what that forks.
    """

    coordinator: float
    sandboxes: float


def main(candidates: int = CANDIDATES) -> None:
    """Measure both."""
    if (why := probe()) is not None:
        print(f"no bubblewrap: {why}")
        return
    with (
        tempfile.TemporaryDirectory() as folder,
        model_server(Path(folder), NAME, SCRIPT) as server,
        counted() as cpu_s,
    ):
        if cpu_s is None:
            print("no control group of our own can be made here, so nothing can be told apart")
            return
        before = server.cpu_s()
        split = _play(Path(folder), server.url, candidates, cpu_s)
        beside = (server.cpu_s() - before) / candidates * 1000
        _show(f"{candidates} candidates of a solo run", split, beside)
        _show(f"{candidates} candidates, start, gates, end", _bare(candidates, cpu_s))


def _play(folder: Path, url: str, candidates: int, cpu_s: Seconds) -> Split:
    options = ("--domain", "repo_quality", "--generations", f"{candidates - 1}")
    before = cpu_s()
    own_s = play_metered(folder, *options, "--model", f"{NAME}@{url}")
    return _split(candidates, cpu_s() - before, own_s)


def _bare(candidates: int, cpu_s: Seconds) -> Split:
    candidate, before, own_before = Candidate(), cpu_s(), own_cpu_s()
    with Runner() as loop, closing(WarmBubblewrapSandbox()) as sandbox:
        for _ in range(candidates):
            loop.run(candidate.gate(sandbox))
    return _split(candidates, cpu_s() - before, own_cpu_s() - own_before)


def _split(candidates: int, all_s: float, own_s: float) -> Split:
    return Split(*(part / candidates * 1000 for part in (own_s, all_s - own_s)))


def _show(title: str, split: Split, server: float | None = None) -> None:
    print(f"\n{title}: {sum(split):.1f} ms CPU each")
    parts = split._asdict() | ({} if server is None else {"server, beside": server})
    for name, ms in parts.items():
        print(f"  {name:<16} {ms:6.1f} ms")
    print(json.dumps({"title": title, "all_ms": sum(split), **parts}))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--candidates", type=int, default=CANDIDATES)
    return parser


if __name__ == "__main__":
    main(**vars(_parser().parse_args()))
