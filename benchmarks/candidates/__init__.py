"""CPU time of a candidate, split by who uses it."""


def main() -> None:
    """Measure with the usual options and print."""
    from benchmarks.candidates.__main__ import main as measure

    measure()
