"""Run all measurements, or those named: `python -m benchmarks sandboxes`."""

import sys
from importlib import import_module

ALL = (
    "house",
    "startup",
    "sandboxes",
    "candidates",
    "endless",
    "similarity",
    "analysis",
    "markspace",
)
LONG = ("flatness", "stress")  # run when named


def main(names: list[str]) -> int:
    """Run measurements by name; 2 for a name that does not exist."""
    unknown = [name for name in names if name not in (*ALL, *LONG)]
    if unknown:
        print(
            f"no measurement {', '.join(unknown)}; there are {', '.join((*ALL, *LONG))}",
            file=sys.stderr,
        )
        return 2
    for name in names or ALL:
        import_module(f"benchmarks.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
