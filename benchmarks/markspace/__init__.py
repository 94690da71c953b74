"""What the mark space costs, per store, beside what the bare operation costs in the same run."""


def main() -> None:
    """Measure with the usual options and print."""
    from benchmarks.markspace.__main__ import main as measure

    measure()
