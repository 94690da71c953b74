"""A corpus of runs whose truth is known: personas play, and detectors are scored on it.

`python -m benchmarks.detectors build DIR` plays it, `... score DIR` prints precision and
recall. Personas write what they did to truth.jsonl, apart from the trace; a detector sees traces
and code alone. docs/reference/detectors.md says how each label follows from that truth.
"""
