"""What is told of a run as it happens: one thread a run, shared by every page that listens."""
