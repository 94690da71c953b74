"""Features of some runs, a folder each; see `hyperspace.kernel.generation.extension`."""
