"""Measure the mark space: `python -m benchmarks.markspace [--module NAME] [--marks N] [--json]`."""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.markspace.figures import Figure, bare_figure, figures

PUBLISHED = """The published package's own figures (2 cores, one thread): guarded write 50 k/s;
read by topic, 10 hits: 0.32 / 9.0 / 211 ms at 1e3 / 1e4 / 1e5 marks; execute beside N
observations: 844 / 47 / 2.1 per s; 1838 bytes a mark."""


def stores(module: str, kinds: list[str], dsn: str | None) -> Iterator[tuple[str, Any]]:
    """Yield fresh stores by kind; another package has only its own memory."""
    if module != "markspace":
        yield "memory", None
        return
    from markspace.stores.memory import MemoryStore
    from markspace.stores.sqlite import SQLiteStore

    with tempfile.TemporaryDirectory() as folder:
        if "memory" in kinds:
            yield "memory", MemoryStore()
        if "sqlite" in kinds:
            store = SQLiteStore(Path(folder) / "space.db")
            yield "sqlite", store
            store.close()
        if "postgres" in kinds and dsn:
            from markspace.stores.postgres import PostgresStore

            remote = PostgresStore(dsn, "benchmark", synchronous="NORMAL")
            yield "postgres", remote
            remote.close()


def options(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.markspace", description=__doc__)
    parser.add_argument("--module", default="markspace", help="another package of the same API")
    parser.add_argument("--marks", type=int, default=100_000, help="marks in the scope read from")
    parser.add_argument("--stores", nargs="+", default=["memory", "sqlite"])
    parser.add_argument("--dsn", help="an empty PostgreSQL database, for the store postgres")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    return parser.parse_args(arguments)


def show(kind: str, rows: list[Figure], bare: Figure) -> None:
    """Print the table of one store."""
    print(f"\n{kind}")
    for row in rows:
        ratio = f"x{row.seconds / bare.seconds:9.1f}" if row.seconds else " " * 10
        print(f"  {row.name:<52} {row.value:12,.1f} {row.unit:<8} {ratio}")


def main(arguments: list[str] | None = None) -> int:
    """Measure and print."""
    wanted = options(arguments or [])
    module, bare = import_module(wanted.module), bare_figure()
    found: dict[str, list[Figure]] = {"bare": [bare]}
    for kind, store in stores(wanted.module, wanted.stores, wanted.dsn):
        found[kind] = figures(module, store, wanted.marks)
    if wanted.json:
        rows = {kind: [row._asdict() for row in some] for kind, some in found.items()}
        print(json.dumps({"module": wanted.module, "marks": wanted.marks, "rows": rows}))
        return 0
    print(f"{PUBLISHED}\n\nRatios are to {bare.name}, in the same run.")
    for kind, rows in found.items():
        show(kind, rows, bare)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
