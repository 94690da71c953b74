"""The code that agents start from, one folder a kind of run."""
