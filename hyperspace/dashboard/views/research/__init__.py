"""Pages about research runs: a run, and one idea."""
