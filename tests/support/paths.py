"""Where the checkout and the data beside it lie; the only file of the tests that counts folders."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
