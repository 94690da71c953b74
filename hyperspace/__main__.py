"""`python -m hyperspace` is the command `hyperspace`."""

from hyperspace.cli.start import entry

if __name__ == "__main__":
    entry()
