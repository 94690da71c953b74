"""Measure the mark space, beside bare operations in the same run.

python -m benchmarks.markspace [--long | --marks N] [--module NAME]
    [--stores memory sqlite postgres] [--dsn URL] [--json]
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import chain
from pathlib import Path

from benchmarks.markspace.bare import in_memory, in_postgres, in_sqlite, record_figures
from benchmarks.markspace.figures import Setting, figures
from benchmarks.markspace.timing import ROUNDS, Figure

SHORT, LONG = 100_000, 1_000_000
PUBLISHED = """The published package's own figures (2 cores, one thread): guarded write 50 k/s;
read by topic, 10 hits: 0.32 / 9.0 / 211 ms at 1e3 / 1e4 / 1e5 marks; execute beside N
observations: 844 / 47 / 2.1 per s; 1838 bytes a mark."""


def settings(module: str, kinds: list[str], dsn: str | None) -> Iterator[tuple[str, Setting]]:
    """Yield fresh stores by kind; another package has only its own memory."""
    if "memory" in kinds or module != "markspace":
        yield "memory", Setting(None, None, in_memory(), 5000)
    if module != "markspace":
        return
    if "sqlite" in kinds:
        yield from sqlite_setting()
    if "postgres" in kinds and dsn:
        yield from postgres_setting(dsn)


def sqlite_setting() -> Iterator[tuple[str, Setting]]:
    """Yield a SQLite file."""
    from markspace.stores.sqlite import SQLiteStore

    with tempfile.TemporaryDirectory() as folder, in_sqlite() as bares:
        path = Path(folder) / "space.db"
        store, other = SQLiteStore(path), SQLiteStore(Path(folder) / "other.db")
        yield "sqlite", Setting(store, other, bares, 2000, path)
        store.close()
        other.close()


def postgres_setting(dsn: str) -> Iterator[tuple[str, Setting]]:
    """Yield a space in a PostgreSQL database."""
    from markspace.stores.postgres import PostgresStore

    with in_postgres(dsn) as bares:
        store, other = (PostgresStore(dsn, name, synchronous="NORMAL") for name in ("a", "b"))
        yield "postgres", Setting(store, other, bares, 500)
        store.close()
        other.close()


def options(arguments: list[str]) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.markspace", description=__doc__)
    parser.add_argument("--module", default="markspace", help="another package of the same API")
    parser.add_argument("--marks", type=int, default=SHORT, help="marks in the scope read from")
    parser.add_argument("--long", dest="marks", action="store_const", const=LONG, help="1e6 marks")
    parser.add_argument("--stores", nargs="+", default=["memory", "sqlite"])
    parser.add_argument("--dsn", help="an empty PostgreSQL database, for the store postgres")
    parser.add_argument("--json", action="store_true", help="print one JSON object only")
    return parser.parse_args(arguments)


def shown(kind: str, rows: Iterable[Figure], record_s: float) -> Iterator[Figure]:
    """Print the table of one store row by row, as it is measured."""
    print(f"\n{kind}", flush=True)
    for row in rows:
        of_record = f"{record_s / row.seconds:8.3f}" if row.seconds else " " * 8
        bare = f"{row.ratio:8.2f} of {row.bare}" if row.bare else ""
        line = f"  {row.name:<44} {row.value:12,.1f} {row.unit:<6} {of_record} {bare}"
        print(line, flush=True)
        yield row


def main(arguments: list[str] | None = None) -> int:
    """Measure and print a table, then the same as one line of JSON."""
    wanted = options(arguments or [])
    module, bare = import_module(wanted.module), record_figures()
    tables: Iterator[tuple[str, Iterable[Figure]]] = (
        (kind, figures(module, setting, wanted.marks))
        for kind, setting in settings(wanted.module, wanted.stores, wanted.dsn)
    )
    if not wanted.json:
        print(f"\nThe mark space: medians of {ROUNDS} rounds, {os.cpu_count()} cores.\n{PUBLISHED}")
        print("Columns: figure; speed relative to a bare record; ratio to the row's bare operation")
    figures_by_store: dict[str, list[Figure]] = {}
    for kind, rows in chain([("bare", bare)], tables):
        printed = rows if wanted.json else shown(kind, rows, bare[0].seconds)
        figures_by_store[kind] = list(printed)
    said = {kind: [row._asdict() for row in rows] for kind, rows in figures_by_store.items()}
    print(json.dumps({"module": wanted.module, "marks": wanted.marks, "rows": said}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
