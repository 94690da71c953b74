"""How far the report's estimate of sharing can be trusted: `python -m benchmarks.sharing`."""
