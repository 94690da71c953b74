"""Cost of the mark space per store, beside that of the bare operation in the same run."""


def main() -> None:
    """Measure with the usual options and print."""
    from benchmarks.markspace.__main__ import main as measure

    measure()
