"""`python -m hyperspace` is the command `hyperspace`."""

from hyperspace.cli import entry

if __name__ == "__main__":
    entry()
