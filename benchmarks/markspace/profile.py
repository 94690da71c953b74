"""Profile of an operation: `python -m benchmarks.markspace.profile write --sqlite`.

Prints the share of each function in the time, without what it calls. The profiler makes small
functions look dearer than they are: compare shares, not times.
"""

import argparse
import cProfile
import pstats
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import markspace
from benchmarks.markspace.bench import Bench
from markspace.stores.sqlite import SQLiteStore

MARKS, COUNT, LINES = 20_000, 5000, 25


def works(bench: Bench) -> dict[str, Callable[[int], object]]:
    """Return what can be profiled."""
    return {
        "write": bench.write,
        "batches": bench.write_batches,
        "read": bench.read_topics,
        "execute": bench.execute,
    }


def shares(profile: cProfile.Profile) -> list[tuple[float, str]]:
    """Return each function's share in the time, largest first."""
    stats = cast("dict[tuple[str, int, str], Any]", pstats.Stats(profile).stats)  # type: ignore[attr-defined]
    total = sum(row[2] for row in stats.values())
    named = ((row[2] / total, place(*key)) for key, row in stats.items())
    return sorted(named, reverse=True)


def place(file: str, line: int, function: str) -> str:
    """Return the name of a function for people."""
    path = Path(file)
    return function if file == "~" else f"{path.parent.name}/{path.name}:{line} {function}"


def main(arguments: list[str]) -> int:
    """Profile and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.markspace.profile")
    parser.add_argument("operation", choices=("write", "batches", "read", "execute"))
    parser.add_argument("--sqlite", action="store_true", help="on SQLite instead of in memory")
    wanted = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        store = SQLiteStore(Path(folder) / "space.db") if wanted.sqlite else None
        bench = Bench(markspace, store)
        bench.fill(MARKS)
        profile = cProfile.Profile()
        profile.runcall(works(bench)[wanted.operation], COUNT)
        for share, name in shares(profile)[:LINES]:
            print(f"{share:7.1%}  {name}")
        if store is not None:
            store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
