"""The files that follow from the space: lines for people and tools, stamps, outcome."""
