"""What coordination without code costs, and whether it is safe: `python -m benchmarks.stress`."""


def main() -> None:
    """Play with the usual options and print."""
    from benchmarks.stress.__main__ import main as play

    play()
