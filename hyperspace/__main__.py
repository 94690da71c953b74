"""`python -m hyperspace` is the command `hyperspace`."""

from hyperspace.start import entry

if __name__ == "__main__":
    entry()
