"""What it costs to follow a run that rests, and how late a change is seen.

Two followers of one run that was played to its end: one looks every half second, one waits until
files change, as `hyperspace watch` and the dashboard do.
"""

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Final

from hyperspace.runs.following.changes import LOOK_S, RunChanges
from hyperspace.runs.following.follower import Follower

IDLE_S: Final = 10.0
CHANGES: Final = 20
PAIR: Final = ("pair", "--models", "offline/tinker", "offline/magpie", "--domain", "repo_quality")


def main() -> None:
    """Print CPU seconds of ten idle seconds, and the time from a change to the end of a look."""
    with tempfile.TemporaryDirectory() as results:
        words = (*PAIR, "--generations", "1", "--results", results)
        subprocess.run(
            [sys.executable, "-m", "hyperspace", *words], capture_output=True, check=True
        )
        (record,) = Path(results).rglob("run_config.json")
        for name, follow in (("looks", _by_looks), ("changes", _by_changes)):
            idle_s, late_s = _measured(record.parent, follow)
            late = f"median {1000 * median(late_s):.0f} ms, at most {1000 * max(late_s):.0f} ms"
            print(
                f"by {name}: {100 * idle_s / IDLE_S:.2f} % of a core while idle; seen after {late}"
            )


Follow = Callable[[Path, Callable[[], None], threading.Event], None]


def _measured(run: Path, follow: Follow) -> tuple[float, list[float]]:
    seen, ended = threading.Event(), threading.Event()
    thread = threading.Thread(target=follow, args=(run, seen.set, ended))
    thread.start()
    seen.wait()
    began_s = time.process_time()
    time.sleep(IDLE_S)
    idle_s = time.process_time() - began_s
    late_s: list[float] = []
    for at in range(CHANGES):
        time.sleep(0.6 + 0.017 * at)  # not in step with looks
        seen.clear()
        changed_s = time.monotonic()
        (run / "noted").write_text(f"{at}", "utf-8")
        seen.wait()
        late_s.append(time.monotonic() - changed_s)
    ended.set()
    thread.join()
    return idle_s, late_s


def _by_looks(run: Path, looked: Callable[[], None], ended: threading.Event) -> None:
    follower = Follower(run)
    while not ended.wait(LOOK_S):
        follower.look()
        looked()


def _by_changes(run: Path, looked: Callable[[], None], ended: threading.Event) -> None:
    follower, wake = Follower(run), threading.Event()
    with RunChanges(run, wake.set) as changes:
        while not ended.is_set():
            wake.clear()
            follower.look()
            looked()
            wake.wait(changes.patience_s())


if __name__ == "__main__":
    main()
