"""A local model server for benchmarks, in a process of its own, and solo runs that ask it."""

import json
import os
import subprocess
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

TICKS = os.sysconf("SC_CLK_TCK")


class Server(NamedTuple):
    """A model server in a process of its own, outside of what is counted.

    Attributes:
        url: Its address.
        process: The process.
    """

    url: str
    process: subprocess.Popen[str]

    def cpu_s(self) -> float:
        """CPU time that it has used."""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(stat[11]) + int(stat[12])) / TICKS


@contextmanager
def model_server(
    folder: Path, name: str, script: Sequence[Any], latency_ms: int = 0
) -> Generator[Server]:
    """Serve a scripted model while the context lasts.

    Args:
        folder: Where the script is put.
        name: Of the model.
        script: Its replies, as `hyperspace serve --brain` takes them.
        latency_ms: How long each reply takes.
    """
    file = folder / "script.json"
    file.write_text(json.dumps(script))
    command = [sys.executable, "-m", "hyperspace", "serve", "--port", "0"]
    command += ["--brain", f"{name}={file}", "--latency-ms", f"{latency_ms}..{latency_ms}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as it:
        try:
            assert it.stdout is not None  # noqa: S101  narrows the type
            words = it.stdout.readline().split()
            yield Server(next(word for word in words if word.startswith("http")), it)
        finally:
            it.terminate()


def play_metered(folder: Path, *options: str) -> float:
    """Play a solo run in bubblewrap and in a process of its own.

    Args:
        folder: Where results are put.
        options: Of `hyperspace solo`.

    Returns:
        CPU time of that process without its children, in seconds.

    Raises:
        RuntimeError: The run failed.
    """
    record = folder / "used.json"
    command = (sys.executable, "-m", "benchmarks.candidates.metered", str(record), "solo")
    terms = ("--no-controls", "--sandbox", "bubblewrap", "--max-usd", "none")
    done = subprocess.run(
        [*command, *options, *terms, "--results", f"{folder}/results"],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "OPENAI_API_KEY": "none"},
    )
    if done.returncode != 0:
        raise RuntimeError(f"the run failed: {done.stderr}")
    return float(record.read_text())
